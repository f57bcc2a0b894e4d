import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { callsQuery } from "../api/queries.ts";
import { OutcomeMark } from "../calls/outcome-mark.tsx";
import { Foreign } from "../lib/foreign.tsx";
import { formatExactTime, formatTime, useNow } from "../lib/time.ts";
import { useTitle } from "../shell/use-title.ts";
import { Empty, LoadError, Skeleton } from "../ui/states.tsx";

/** Which plans the list shows, as it is in the address. */
export interface PlansSearch {
  readonly state?: "open" | "closed" | undefined;
}

const views = [
  [undefined, "All"],
  ["open", "Open"],
  ["closed", "Ended"],
] as const;

/** All plans, newest first. */
export function PlansPage() {
  const { state } = useSearch({ from: "/plans" });
  const query = useInfiniteQuery(callsQuery({ state, capability: "plan.apply" }));
  const now = useNow();
  const plans = query.data?.pages.flatMap(({ calls }) => calls) ?? [];
  useTitle("Plans");
  return (
    <div className="flex h-full flex-col">
      <div className="flex min-h-13 flex-none flex-wrap items-center gap-2 border-b border-line px-4 py-2 md:px-6">
        <h1 className="mr-2 text-lg font-semibold">Plans</h1>
        {views.map(([value, name]) => (
          <Link
            key={name}
            to="/plans"
            search={{ state: value }}
            aria-current={value === state ? "page" : undefined}
            className={`flex items-center rounded-full border px-3 py-1 text-sm font-medium max-md:min-h-11 ${value === state ? "border-text bg-text text-surface" : "border-edge"}`}
          >
            {name}
          </Link>
        ))}
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {query.isPending ? (
          <Skeleton />
        ) : query.isError && plans.length === 0 ? (
          <LoadError error={query.error} onRetry={() => void query.refetch()} />
        ) : plans.length === 0 ? (
          <Empty title="No plans here">
            A plan is several steps that an agent requests as one call. People decide about it once.
          </Empty>
        ) : (
          <ul className="divide-y divide-line">
            {plans.map((plan) => (
              <li key={plan.call}>
                <Link
                  to="/plans/$call"
                  params={{ call: plan.call }}
                  className="grid min-h-13 grid-cols-[minmax(0,1fr)_auto] content-center gap-x-4 px-4 py-1.5 -outline-offset-2 hover:bg-sunken md:px-6"
                >
                  <span className="truncate font-semibold" title={plan.headline}>
                    <Foreign text={plan.headline} />
                  </span>
                  <span className="text-sm">
                    <OutcomeMark {...plan} />
                  </span>
                  <span className="truncate text-sm text-muted">
                    <Foreign text={plan.principal} />
                  </span>
                  <time
                    dateTime={plan.createdAt}
                    title={formatExactTime(plan.createdAt)}
                    className="text-right text-sm text-muted"
                  >
                    {formatTime(plan.createdAt, now)}
                  </time>
                </Link>
              </li>
            ))}
          </ul>
        )}
        {query.hasNextPage && (
          <button type="button" className="btn m-4" onClick={() => void query.fetchNextPage()}>
            Show earlier plans
          </button>
        )}
      </div>
    </div>
  );
}
