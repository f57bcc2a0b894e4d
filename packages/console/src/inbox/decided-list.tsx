import { useInfiniteQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, Hourglass } from "lucide-react";
import { type DecidedStatus, decidedQuery } from "../api/queries.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatTime } from "../lib/time.ts";
import { Empty, LoadError, Skeleton } from "../ui/states.tsx";
import { InboxLink } from "./inbox-link.tsx";
import { SelectableRow } from "./inbox-row.tsx";

const statuses = [
  ["approved", "Approved", CircleCheck],
  ["denied", "Denied", CircleX],
  ["expired", "Expired", Hourglass],
] as const;

/** The rounds that ended, newest first. */
export function DecidedList({
  status,
  selected,
}: {
  readonly status: DecidedStatus;
  readonly selected: string | undefined;
}) {
  const query = useInfiniteQuery(decidedQuery(status));
  const approvals = query.data?.pages.flatMap(({ approvals }) => approvals) ?? [];
  return (
    <>
      <nav aria-label="Decision" className="flex gap-2 border-b border-line bg-canvas p-2">
        {statuses.map(([value, name]) => (
          <InboxLink
            key={value}
            search={() => ({ tab: "decided", status: value === "approved" ? undefined : value })}
            aria-current={value === status ? "page" : undefined}
            className={`rounded-full border px-3 py-1 text-sm font-medium max-md:py-2.5 ${value === status ? "border-text bg-text text-surface" : "border-edge bg-surface text-text"}`}
          >
            {name}
          </InboxLink>
        ))}
      </nav>
      {query.isPending ? (
        <Skeleton />
      ) : query.isError ? (
        <LoadError error={query.error} onRetry={() => void query.refetch()} />
      ) : approvals.length === 0 ? (
        <Empty title={`Nothing ${status} yet`}>Requests appear here when they are decided.</Empty>
      ) : (
        <ul>
          {approvals.map(({ approval, headline, principal, capability, askedAt }) => (
            <li key={approval}>
              <SelectableRow
                approval={approval}
                isSelected={approval === selected}
                className="grid min-h-13 grid-cols-[1fr_auto] content-center gap-x-3 border-b border-line px-3 py-1.5 -outline-offset-2"
              >
                <span className="truncate font-semibold" title={headline}>
                  <Foreign text={headline} />
                </span>
                <time dateTime={askedAt} title={askedAt} className="text-sm text-muted">
                  {formatTime(askedAt)}
                </time>
                <span className="col-span-2 truncate text-[12.5px] text-muted">
                  <Foreign text={principal} /> · {capability}
                </span>
              </SelectableRow>
            </li>
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <button type="button" className="btn m-3" onClick={() => void query.fetchNextPage()}>
          Show earlier ones
        </button>
      )}
    </>
  );
}
