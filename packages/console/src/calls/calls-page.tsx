import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { callsQuery } from "../api/queries.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatDuration, formatTime, useNow } from "../lib/time.ts";
import { useTitle } from "../shell/use-title.ts";
import { Empty, LoadError, Skeleton } from "../ui/states.tsx";
import { OutcomeMark } from "./outcome-mark.tsx";

const views = [
  ["All", {}],
  ["Open", { state: "open" }],
  ["Succeeded", { outcome: "succeeded" }],
  ["Failed", { outcome: "failed" }],
  ["Denied", { outcome: "denied" }],
  ["Unknown", { outcome: "unknown" }],
] as const;

/** All calls, newest first. The filters are in the address. */
export function CallsPage() {
  const filter = useSearch({ from: "/calls" });
  const navigate = useNavigate({ from: "/calls" });
  const query = useInfiniteQuery(callsQuery(filter));
  const now = useNow();
  const calls = query.data?.pages.flatMap(({ calls }) => calls) ?? [];
  useTitle("Calls");
  return (
    <div className="flex h-full flex-col">
      <div className="flex min-h-13 flex-none flex-wrap items-center gap-2 border-b border-line px-4 py-2 md:px-6">
        <h1 className="mr-2 text-lg font-semibold">Calls</h1>
        {views.map(([name, view]) => {
          const isCurrent =
            filter.state === ("state" in view ? view.state : undefined) &&
            filter.outcome === ("outcome" in view ? view.outcome : undefined);
          return (
            <button
              key={name}
              type="button"
              aria-pressed={isCurrent}
              onClick={() => void navigate({ search: { ...view, capability: filter.capability } })}
              className={`rounded-full border px-3 py-1 text-sm font-medium max-md:min-h-11 ${isCurrent ? "border-text bg-text text-surface" : "border-edge"}`}
            >
              {name}
            </button>
          );
        })}
        {filter.capability !== undefined && (
          <button
            type="button"
            className="rounded-full border border-edge px-3 py-1 text-sm max-md:min-h-11"
            onClick={() => void navigate({ search: { ...filter, capability: undefined } })}
          >
            {filter.capability} <span aria-hidden="true">×</span>
            <span className="sr-only">: remove this filter</span>
          </button>
        )}
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {query.isPending ? (
          <Skeleton />
        ) : query.isError ? (
          <LoadError error={query.error} onRetry={() => void query.refetch()} />
        ) : calls.length === 0 ? (
          <Empty title="No calls here">Calls of your agents appear here by themselves.</Empty>
        ) : (
          <table className="w-full text-left">
            <thead className="text-xs text-muted">
              <tr className="border-b border-line">
                <th scope="col" className="py-2 pr-3 pl-4 font-medium md:pl-6">
                  What
                </th>
                <th scope="col" className="px-3 py-2 font-medium max-md:hidden">
                  Who
                </th>
                <th scope="col" className="px-3 py-2 font-medium">
                  Outcome
                </th>
                <th scope="col" className="px-3 py-2 font-medium max-md:hidden">
                  Took
                </th>
                <th scope="col" className="py-2 pr-4 pl-3 text-right font-medium max-sm:hidden md:pr-6">
                  When
                </th>
              </tr>
            </thead>
            <tbody>
              {calls.map((call) => (
                <tr key={call.call} className="border-b border-line hover:bg-sunken">
                  <td className="max-w-0 py-2 pr-3 pl-4 md:w-1/2 md:pl-6">
                    <Link
                      to="/calls/$call"
                      params={{ call: call.call }}
                      className="block truncate font-semibold"
                      title={call.headline}
                    >
                      <Foreign text={call.headline} />
                    </Link>
                    <button
                      type="button"
                      onClick={() => void navigate({ search: { ...filter, capability: call.capability } })}
                      className="font-mono text-xs text-muted hover:underline"
                      title="Show only this capability"
                    >
                      {call.capability}
                    </button>
                  </td>
                  <td className="px-3 py-2 max-md:hidden">
                    <Foreign text={call.principal} />
                  </td>
                  <td className="px-3 py-2 text-sm">
                    <OutcomeMark state={call.state} outcome={call.outcome} />
                  </td>
                  <td className="px-3 py-2 text-sm text-muted max-md:hidden">
                    {call.closedAt && formatDuration(Date.parse(call.closedAt) - Date.parse(call.createdAt))}
                  </td>
                  <td className="py-2 pr-4 pl-3 text-right text-sm whitespace-nowrap text-muted max-sm:hidden md:pr-6">
                    <time dateTime={call.createdAt} title={call.createdAt}>
                      {formatTime(call.createdAt, now)}
                    </time>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {query.hasNextPage && (
          <button type="button" className="btn m-4" onClick={() => void query.fetchNextPage()}>
            Show earlier calls
          </button>
        )}
      </div>
    </div>
  );
}
