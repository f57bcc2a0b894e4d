import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { approversQuery, meQuery, noticesQuery } from "../api/queries.ts";
import type { Approvers, Call, Notice } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatTime } from "../lib/time.ts";
import { CopyField } from "../ui/copy-field.tsx";
import { PrincipalName } from "../ui/principal.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { describeNeededApprovals } from "./needed-approvals.ts";

type WaitingApproval = NonNullable<NonNullable<Call["waiting"]>["approval"]>;

/** The people who can approve a waiting call, and the notices about it. A decided call shows only the notices. */
export function ApproversCard({ call: { call, waiting, approval } }: { readonly call: Call }) {
  const notices = useQuery({
    ...noticesQuery(call, waiting?.approval !== undefined),
    enabled: approval !== undefined,
  }).data?.notices;
  if (!waiting?.approval && !notices?.length) return null;
  return (
    <div className="card mb-4 grid max-w-240 gap-x-8 gap-y-4 p-4 md:grid-cols-2">
      {waiting?.approval && <WhoCanApprove call={call} approval={waiting.approval} />}
      {notices && <WhoWasTold notices={notices} />}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="mb-1.5 font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function WhoCanApprove({ call, approval }: { readonly call: string; readonly approval: WaitingApproval }) {
  const { data, error, refetch } = useQuery(approversQuery(call, approval.id));
  return (
    <Part title="Who can approve">
      <p className="mb-2 text-sm text-muted">
        Needs <Foreign text={describeNeededApprovals(approval.guards)} />, until{" "}
        {formatTime(approval.expiresAt)}.
      </p>
      {data ? (
        <>
          <People approvers={data} />
          {data.approvers.length > 0 && (
            <>
              <p className="mt-3 mb-1 text-sm text-muted">To remind them, send them this link:</p>
              <CopyField
                label="The link to the request"
                text={`${location.origin}/console/approvals/${approval.id}`}
              />
            </>
          )}
        </>
      ) : error ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton rows={2} />
      )}
    </Part>
  );
}

function People({ approvers: { approvers, hasMore } }: { readonly approvers: Approvers }) {
  const { data: me } = useQuery(meQuery);
  if (approvers.length === 0 && !hasMore)
    return <p className="font-medium text-high">No further person can approve it now.</p>;
  return (
    <ul className="grid gap-1.5">
      {approvers.map(({ id, groups, inPlaceOf }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-2">
          <PrincipalName id={id} kind="person" />
          <span className="text-sm text-muted">
            {id === me?.id && "(you) "}
            <Foreign text={groups.join(", ")} />
            {inPlaceOf.length > 0 && (
              <>
                {" "}
                in place of <Foreign text={inPlaceOf.join(", ")} />
              </>
            )}
          </span>
        </li>
      ))}
      {hasMore && <li className="text-sm text-muted">And further people</li>}
    </ul>
  );
}

function WhoWasTold({ notices }: { readonly notices: readonly Notice[] }) {
  return (
    <Part title="Who was told">
      {notices.length === 0 ? (
        <p className="text-sm text-muted">
          Paraph has sent no notices. Approvers find the request in their inbox.
        </p>
      ) : (
        <ul className="grid max-h-80 gap-1.5 overflow-y-auto">
          {notices.map((notice) => (
            <li key={notice.notice} className="text-sm">
              <span className="font-medium">
                <Foreign text={notice.recipient} />
              </span>{" "}
              <span className="text-muted">
                {kinds[notice.kind]}by <Foreign text={notice.channel} />: {formatState(notice)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

const kinds: Record<Notice["kind"], string> = {
  request: "",
  reminder: "reminded ",
  escalation: "asked in addition ",
  outcome: "told the outcome ",
};

/** Says what became of a notice, such as `sent 10:43, opened 10:51`. */
function formatState({ state, sentAt, openedAt, code }: Notice): string {
  const sent = sentAt === undefined ? "" : ` ${formatTime(sentAt)}`;
  const opened = openedAt === undefined ? "" : `, opened ${formatTime(openedAt)}`;
  switch (state) {
    case "waiting":
      return code === undefined ? "will be sent" : `not sent yet (${code})`;
    case "sent":
      return `sent${sent}${opened}`;
    case "coalesced":
      return `counted in a summary${sent}${opened}`;
    case "dropped":
      return "not needed any more";
    case "given-up":
      return `could not be sent${code === undefined ? "" : ` (${code})`}`;
  }
}
