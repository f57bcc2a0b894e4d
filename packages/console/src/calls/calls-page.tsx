import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { callsQuery } from "../api/queries.ts";
import { useKeys } from "../shell/use-keys.ts";
import { useTitle } from "../shell/use-title.ts";
import { Empty, LoadError, Skeleton } from "../ui/states.tsx";
import { CallFilters } from "./call-filters.tsx";
import { CallsTable, focusRow } from "./calls-table.tsx";

/** All calls, newest first. The filters are in the address. */
export function CallsPage() {
  const filter = useSearch({ from: "/calls" });
  const navigate = useNavigate({ from: "/calls" });
  const query = useInfiniteQuery(callsQuery(filter));
  const calls = query.data?.pages.flatMap(({ calls }) => calls) ?? [];
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  useTitle("Calls");
  useKeys({ j: () => focusRow(1), k: () => focusRow(-1) });
  return (
    <div className="flex h-full flex-col">
      <CallFilters filter={filter} onChange={(search) => void navigate({ search, replace: true })} />
      <div className="min-h-0 flex-1 overflow-y-auto" aria-busy={query.isPlaceholderData}>
        {query.isPending ? (
          <Skeleton />
        ) : query.isError && !query.data ? (
          <LoadError error={query.error} onRetry={() => void query.refetch()} />
        ) : calls.length === 0 ? (
          <Empty title={isFiltered ? "No call matches" : "No calls yet"}>
            {query.hasNextPage
              ? "Paraph looked through the newest calls. Earlier ones may match."
              : isFiltered
                ? "Remove a filter, or search for another text."
                : "Calls of your agents appear here by themselves."}
          </Empty>
        ) : (
          <CallsTable
            calls={calls}
            onFilter={(change) => void navigate({ search: { ...filter, ...change } })}
          />
        )}
        {query.hasNextPage && (
          <div className={calls.length === 0 ? "text-center" : ""}>
            <button
              type="button"
              className="btn m-4"
              disabled={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {calls.length === 0 ? "Search earlier calls" : "Show earlier calls"}
            </button>
          </div>
        )}
      </div>
    </div>
  );
}
