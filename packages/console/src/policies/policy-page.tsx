import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Hourglass } from "lucide-react";
import { useEffect } from "react";
import { lastPublicationQuery, openPublicationsQuery, policyQuery } from "../api/queries.ts";
import type { PolicySet } from "../api/types.ts";
import { Foreign, Sentence } from "../lib/foreign.tsx";
import { formatExactTime, formatTime } from "../lib/time.ts";
import { useTitle } from "../shell/use-title.ts";
import { LoadError, Notice, Skeleton } from "../ui/states.tsx";
import { CedarText } from "./cedar.tsx";
import { PoliciesFrame } from "./policies-frame.tsx";

/** The shown file and line, as they are in the address. */
export interface PolicySearch {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** The policies in force: where they come from, what each demands, and their text. */
export function PolicyPage() {
  const { data, isPending, error, refetch } = useQuery(policyQuery);
  useTitle("Policies");
  return (
    <PoliciesFrame current="/policies">
      {isPending ? (
        <Skeleton />
      ) : data ? (
        <PolicyInForce policy={data} />
      ) : (
        <LoadError error={error} onRetry={() => void refetch()} />
      )}
    </PoliciesFrame>
  );
}

function PolicyInForce({ policy }: { readonly policy: PolicySet }) {
  const { file, line } = useSearch({ from: "/policies" });
  const shown = policy.files.find((one) => one.file === file) ?? policy.files[0];
  useEffect(() => {
    if (line !== undefined) document.getElementById(`line-${line}`)?.scrollIntoView({ block: "center" });
  }, [line]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4 md:px-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <div className="min-w-0">
        <PendingPublications />
        <Origin policy={policy} />
        <h2 className="mt-4 mb-1 font-semibold">{policy.policies.length} policies</h2>
        <ul className="card divide-y divide-line overflow-hidden">
          {policy.policies.map((one) => (
            <li key={`${one.file} ${one.id}`}>
              <Link
                to="/policies"
                search={{ file: one.file, line: one.line }}
                className={`block px-3.5 py-2 -outline-offset-2 hover:bg-sunken ${one.file === shown?.file && one.line === line ? "bg-ink-soft" : ""}`}
              >
                <span className="flex flex-wrap items-baseline gap-x-2">
                  <code className="font-semibold [overflow-wrap:anywhere]">{one.id}</code>
                  <span className="text-sm text-muted">{describePolicy(one)}</span>
                </span>
                {one.sentence !== undefined && (
                  <span className="block text-sm">
                    <Sentence text={one.sentence} />
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </div>
      {shown && (
        <section aria-label={shown.file} className="card min-w-0 self-start overflow-hidden">
          <nav
            aria-label="Files"
            className="flex gap-4.5 overflow-x-auto border-b border-line px-3.5 whitespace-nowrap"
          >
            {policy.files.map((one) => (
              <Link
                key={one.file}
                to="/policies"
                search={{ file: one.file }}
                aria-current={one.file === shown.file ? "page" : undefined}
                className={`flex h-11 items-center text-sm font-medium -outline-offset-2 ${one.file === shown.file ? "shadow-[inset_0_-2px_0_var(--ink)]" : "text-muted hover:text-text"}`}
              >
                <Foreign text={one.file} />
              </Link>
            ))}
          </nav>
          <CedarText text={shown.text} marked={line} />
        </section>
      )}
    </div>
  );
}

/** The publications that wait for approval or run. They change what the page shows. */
function PendingPublications() {
  const { data } = useQuery(openPublicationsQuery);
  return data?.calls.map(({ call, headline, principal }) => (
    <div key={call} className="mb-3">
      <Notice tone="waiting" icon={Hourglass}>
        <strong>A change is requested and not in force yet.</strong>{" "}
        <Link to="/calls/$call" params={{ call }} className="link">
          <Foreign text={headline} />
        </Link>{" "}
        by <Foreign text={principal} />
      </Notice>
    </div>
  ));
}

function Origin({
  policy: { source, version, configured, mode, preset, unattended },
}: {
  readonly policy: PolicySet;
}) {
  const rows: readonly (readonly [string, string])[] = [
    ["From", source === "published" ? "A publication" : "The server's configuration"],
    ["Version", version.slice(0, 16).replaceAll(/.{4}(?=.)/g, "$& ")],
    ["Mode", mode === "enforce" ? "Rulings are applied" : "Rulings are only recorded (observe)"],
    ["Preset", preset],
    ["Unattended", unattended.join(", ") || "Nothing"],
  ];
  return (
    <>
      <dl className="card grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 p-3.5">
        {source === "published" && <LastPublication />}
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="[overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
      {source === "published" && configured !== undefined && configured !== version && (
        <p className="mt-2 text-sm text-muted">
          The policies of the server's configuration are replaced by the publication.
        </p>
      )}
      <p className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Link to="/policies/backtest" className="btn btn-primary">
          Change the rules
        </Link>
        <Link
          to="/calls"
          search={{ capability: "admin.policy_publish" }}
          className="link max-md:min-h-11 max-md:py-2.5"
        >
          Earlier publications
        </Link>
      </p>
    </>
  );
}

/** Shows the requester and the time of the newest publication. Its call names the approvers. */
function LastPublication() {
  const { data } = useQuery(lastPublicationQuery);
  const last = data?.calls[0];
  if (!last) return null;
  const { call, headline, principal, closedAt = last.createdAt } = last;
  return (
    <div className="contents">
      <dt className="text-muted">Published</dt>
      <dd className="[overflow-wrap:anywhere]">
        <Link to="/calls/$call" params={{ call }} className="link">
          <Foreign text={headline} />
        </Link>{" "}
        by <Foreign text={principal} />,{" "}
        <time dateTime={closedAt} title={formatExactTime(closedAt)}>
          {formatTime(closedAt)}
        </time>
      </dd>
    </div>
  );
}

/** Describes what a policy does in a few words, such as `asks 2 people of finance`. */
function describePolicy({
  effect,
  demands,
  quorum = 1,
  group,
  proof,
  shadow,
}: PolicySet["policies"][number]): string {
  const people = `${quorum} ${quorum === 1 ? "person" : "people"}${group === undefined ? "" : ` of ${group}`}`;
  const words =
    demands === "ask"
      ? `asks ${people}${proof === "passkey" ? " with passkey" : ""}`
      : demands === "check"
        ? "demands checks"
        : effect === "permit"
          ? "permits"
          : "forbids";
  return shadow ? `${words}, only recorded` : words;
}
