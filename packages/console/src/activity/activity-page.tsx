import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { activityQuery } from "../api/activity-queries.ts";
import type { Activity } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatExactTime } from "../lib/time.ts";
import { useTitle } from "../shell/use-title.ts";
import { Empty, LoadError, Skeleton } from "../ui/states.tsx";
import { TableHead } from "../ui/table-head.tsx";
import { ActivityFilters } from "./activity-filters.tsx";
import { describeActivity } from "./describe-activity.ts";

/** Shows the acts of agents and people, newest first, with exports for an auditor. The address holds the filters. */
export function ActivityPage() {
  const filter = useSearch({ from: "/activity" });
  const navigate = useNavigate({ from: "/activity" });
  const query = useInfiniteQuery(activityQuery(filter));
  const entries = query.data?.pages.flatMap(({ activity }) => activity) ?? [];
  useTitle("Activity");
  return (
    <div className="flex h-full flex-col">
      <ActivityFilters filter={filter} onChange={(search) => void navigate({ search, replace: true })} />
      <div className="min-h-0 flex-1 overflow-y-auto" aria-busy={query.isPlaceholderData}>
        <p className="max-w-190 px-4 py-3 text-sm text-muted md:px-6">
          Days and times are in UTC. The end of a call names the SHA-256 digest of its signed receipt. An
          operator finds missing calls and events with <code>paraph replay --check</code>.
        </p>
        {query.isPending ? (
          <Skeleton />
        ) : query.isError && !query.data ? (
          <LoadError error={query.error} onRetry={() => void query.refetch()} />
        ) : entries.length === 0 ? (
          <Empty title="No activity matches">
            {query.hasNextPage
              ? "Paraph looked through the newest events. Earlier ones may match."
              : "Remove a filter, or enter the whole id."}
          </Empty>
        ) : (
          <ActivityTable entries={entries} />
        )}
        {query.hasNextPage && (
          <button
            type="button"
            className="btn m-4"
            disabled={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show earlier activity
          </button>
        )}
      </div>
    </div>
  );
}

function ActivityTable({ entries }: { readonly entries: readonly Activity[] }) {
  return (
    <table className="w-full table-fixed border-t border-line text-left">
      <TableHead
        hiddenBelow="lg"
        columns={[
          ["When", "w-52 pr-3 pl-6"],
          ["What", "px-3"],
          ["Requester", "w-[18%] px-3"],
          ["Call", "w-72 pr-6 pl-3"],
        ]}
      />
      <tbody>
        {entries.map((entry) => (
          <ActivityRow key={entry.id} entry={entry} />
        ))}
      </tbody>
    </table>
  );
}

function ActivityRow({ entry }: { readonly entry: Activity }) {
  const { at, call, capability, principal, receipt } = entry;
  const [title, details] = describeActivity(entry);
  return (
    <tr className="border-b border-line align-top max-lg:grid max-lg:gap-0.5 max-lg:px-4 max-lg:py-2 md:max-lg:px-6">
      <td className="text-sm text-muted lg:py-2 lg:pr-3 lg:pl-6">
        <time dateTime={at}>{formatExactTime(at, "UTC")}</time>
      </td>
      <td className="[overflow-wrap:anywhere] lg:px-3 lg:py-2">
        <p className="font-medium">
          <Foreign text={title} />
        </p>
        {details.map((detail) => (
          <p key={detail} className="text-sm text-muted">
            <Foreign text={detail} />
          </p>
        ))}
      </td>
      <td className="text-sm [overflow-wrap:anywhere] lg:px-3 lg:py-2">
        <span className="text-muted lg:hidden">Requester </span>
        <Foreign text={principal} />
      </td>
      <td className="min-w-0 text-sm lg:py-2 lg:pr-6 lg:pl-3">
        <code className="[overflow-wrap:anywhere]">
          <Foreign text={capability} />
        </code>
        <Link to="/calls/$call" params={{ call }} className="link block [overflow-wrap:anywhere]">
          {call}
        </Link>
        {receipt !== undefined && (
          <details className="text-muted">
            <summary className="cursor-pointer max-md:min-h-11 max-md:content-center">
              Digest of the receipt
            </summary>
            <code className="[overflow-wrap:anywhere]">{receipt}</code>
          </details>
        )}
      </td>
    </tr>
  );
}
