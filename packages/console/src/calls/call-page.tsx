import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { CircleHelp } from "lucide-react";
import { callEventsQuery, callQuery, contractQuery } from "../api/queries.ts";
import type { Call } from "../api/types.ts";
import { Code } from "../approval/blocks.tsx";
import { Changes } from "../approval/changes.tsx";
import { Fact } from "../approval/fact.tsx";
import { formatJson } from "../lib/foreign.tsx";
import { useTitle } from "../shell/use-title.ts";
import { Breadcrumb } from "../ui/breadcrumb.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { ResolutionForm } from "../unknown/resolution-form.tsx";
import { ApproversCard } from "./approvers-card.tsx";
import { CallSummary } from "./call-summary.tsx";
import { OutcomeMark } from "./outcome-mark.tsx";
import { Timeline } from "./timeline.tsx";

export type CallTab = "changes" | "data";

const tabs = [
  [undefined, "Timeline"],
  ["changes", "Changes"],
  ["data", "Input and output"],
] as const;

/** One call: how it ended, what happened when, what changed, and its data. */
export function CallPage() {
  const { call: id } = useParams({ from: "/calls/$call" });
  const { tab } = useSearch({ from: "/calls/$call" });
  const query = useQuery(callQuery(id));
  const { data: call } = query;
  const contract = useQuery({
    ...contractQuery(call?.capability ?? ""),
    enabled: tab === "changes" && call !== undefined,
  });
  useTitle(call?.headline ?? "Call");
  if (query.isPending) return <Skeleton />;
  if (!call) return <LoadError error={query.error ?? new Error()} onRetry={() => void query.refetch()} />;
  return (
    <article aria-labelledby="fact" className="h-full overflow-y-auto px-4 pb-8 md:px-6">
      <Breadcrumb
        links={[
          <Link key="list" to="/calls" search={{}}>
            Calls
          </Link>,
        ]}
        name={<code>{call.call}</code>}
      />
      <div className="flex flex-wrap items-center gap-3">
        <OutcomeMark state={call.state} outcome={call.outcome} finding={call.resolution?.finding} />
        <Link to="/capabilities/$name" params={{ name: call.capability }} className="hover:underline">
          <code className="text-muted">
            {call.capability} v{call.version}
          </code>
        </Link>
      </div>
      <Fact text={call.headline} />
      <CallSummary call={call} />
      <ApproversCard call={call} />
      <UnknownOutcome call={call} />
      <nav aria-label="Tabs of the call" className="mb-4 flex h-10 gap-4.5 border-b border-line max-md:h-11">
        {tabs.map(([value, name]) => (
          <Link
            key={name}
            to="/calls/$call"
            params={{ call: id }}
            search={{ tab: value }}
            aria-current={tab === value ? "page" : undefined}
            className={`flex items-center font-medium ${tab === value ? "shadow-[inset_0_-2px_0_var(--ink)]" : "text-muted hover:text-text"}`}
          >
            {name}
          </Link>
        ))}
      </nav>
      {tab === "changes" ? (
        <Changes
          round={{
            preview: call.preview,
            previewed: call.previewed,
            input: call.input,
            masked: call.masked,
            effect: contract.data?.effect,
            title: call.outcome?.kind === "succeeded" ? "What changed" : "What the preview showed",
          }}
        />
      ) : tab === "data" ? (
        <CallData call={call} />
      ) : (
        <CallTimeline call={id} />
      )}
    </article>
  );
}

/** Asks on the page of a call with an unknown outcome what happened. A new attempt opens the new call. */
function UnknownOutcome({ call }: { readonly call: Call }) {
  const navigate = useNavigate();
  if (call.outcome?.kind !== "unknown" || call.resolution) return null;
  return (
    <section aria-label="Did this happen?" className="card mb-4 grid max-w-190 gap-3 p-4">
      <h2 className="flex items-center gap-1.5 font-semibold text-unknown">
        <CircleHelp size={15} aria-hidden="true" />
        Did this happen?
      </h2>
      <p className="text-muted">
        Check the external system, and record what you found. Your finding is signed, and releases the locks
        of the call.
      </p>
      <ResolutionForm
        call={call}
        onResolved={({ retriedAs }) => {
          if (retriedAs !== undefined) void navigate({ to: "/calls/$call", params: { call: retriedAs } });
        }}
      />
    </section>
  );
}

function CallTimeline({ call }: { readonly call: string }) {
  const { data, isPending, error, refetch } = useQuery(callEventsQuery(call));
  if (isPending) return <Skeleton />;
  return data ? (
    <Timeline events={data.events} />
  ) : (
    <LoadError error={error} onRetry={() => void refetch()} />
  );
}

function CallData({ call }: { readonly call: Call }) {
  const parts = [
    ["Input", call.input],
    ["Output", call.output],
    ["Error", call.error],
    ["Answer", call.answer],
  ] as const;
  return (
    <div className="grid max-w-240 gap-4">
      {parts.map(
        ([name, value]) =>
          value !== undefined && (
            <section key={name}>
              <h2 className="mb-1 font-semibold">{name}</h2>
              <Code text={formatJson(value)} />
            </section>
          ),
      )}
      <p className="text-sm text-muted">
        Session <code>{call.session.session ?? "none"}</code>, key{" "}
        <code className="[overflow-wrap:anywhere]">{call.key}</code>
      </p>
    </div>
  );
}
