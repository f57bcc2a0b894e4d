import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { maxStatistics, usageQuery } from "../api/people-queries.ts";
import type { Statistics } from "../api/types.ts";
import { formatShare } from "../capabilities/capability-rows.tsx";
import { series } from "../home/hours.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatDuration } from "../lib/time.ts";
import { useTitle } from "../shell/use-title.ts";
import { FilterChip } from "../ui/filter-chip.tsx";
import { Empty, LoadError, Skeleton } from "../ui/states.tsx";

/** The subject and the period of the page. The address holds both. */
export interface StatisticsSearch {
  readonly by?: "capability" | undefined;
  readonly period?: "day" | "month" | undefined;
}

const groups = [
  [undefined, "By requester"],
  ["capability", "By capability"],
] as const;
const periods = [
  ["day", "24 hours", 1],
  [undefined, "7 days", 7],
  ["month", "30 days", 30],
] as const;

/** Shows the number, outcomes, durations and costs of calls for each requester or capability. */
export function StatisticsPage() {
  const { by, period } = useSearch({ from: "/statistics" });
  const navigate = useNavigate({ from: "/statistics" });
  const [, name, days] = periods.find(([value]) => value === period) ?? periods[1];
  const { data, isPending, error, refetch } = useQuery(usageQuery(by ?? "principal", days));
  useTitle("Statistics");
  const set = (change: StatisticsSearch) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-none flex-wrap items-center gap-2 border-b border-line px-4 py-2.5 md:px-6">
        <h1 className="mr-2 text-lg font-semibold">Statistics</h1>
        {groups.map(([value, name]) => (
          <FilterChip key={name} name={name} isCurrent={by === value} onPress={() => set({ by: value })} />
        ))}
        <span aria-hidden="true" className="h-5 flex-none border-l border-line" />
        {periods.map(([value, name]) => (
          <FilterChip
            key={name}
            name={name}
            isCurrent={period === value}
            onPress={() => set({ period: value })}
          />
        ))}
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {isPending ? (
          <Skeleton />
        ) : !data ? (
          <LoadError error={error} onRetry={() => void refetch()} />
        ) : data.statistics.length === 0 ? (
          <Empty title="No call has ended in this time">
            Each call that ends in the last {name} counts here.
          </Empty>
        ) : (
          <UsageTable statistics={data.statistics} />
        )}
      </div>
    </div>
  );
}

const cell = "py-2 pl-4 text-right";

function UsageTable({ statistics }: { readonly statistics: readonly Statistics[] }) {
  const columns = [
    ...["Ended", ...series.map(({ name }) => name), "Success"],
    ...["Mean time to the end", "Acting, typical", "Acting, slow", "Retries", "Cost", "Tokens"],
  ];
  return (
    <>
      <div
        role="region"
        aria-label="Calls that ended"
        tabIndex={0}
        className="overflow-x-auto -outline-offset-2"
      >
        <table className="w-full text-sm whitespace-nowrap">
          <thead className="text-xs text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="py-2 pl-4 text-left font-medium md:pl-6">
                Calls of
              </th>
              {columns.map((name) => (
                <th key={name} scope="col" className={`${cell} font-medium last:pr-4 md:last:pr-6`}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {statistics.map((one) => (
              <UsageRow key={one.principal ?? one.capability} one={one} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="max-w-190 px-4 py-3 text-sm text-muted md:px-6">
        Each step of a plan counts. The time to the end begins with the request, and so includes the time in
        which people decide. Cost is in minor units, such as cents. An unknown outcome stays counted as
        unknown after someone has found out what happened.
        {statistics.length === maxStatistics && ` Only the ${maxStatistics} with the most calls are shown.`}
      </p>
    </>
  );
}

function UsageRow({ one }: { readonly one: Statistics }) {
  const { principal, capability, calls, outcomes, successRate, meanMs, actingMs, retries, spent, tokens } =
    one;
  const counts = series.map(({ outcomes: kinds }) =>
    kinds.reduce((sum, kind) => sum + (outcomes[kind] ?? 0), 0),
  );
  const cells = [
    ...[calls, ...counts].map(formatCount),
    formatShare(successRate),
    formatDuration(meanMs),
    actingMs ? formatDuration(actingMs.p50) : "",
    actingMs ? formatDuration(actingMs.p95) : "",
    ...[retries, spent, tokens.input + tokens.output].map(formatCount),
  ];
  return (
    <tr className="border-b border-line hover:bg-sunken">
      <th scope="row" className="py-2 pl-4 text-left font-semibold md:pl-6">
        <Link to="/calls" search={{ principal, capability }} className="hover:underline">
          <Foreign text={principal ?? capability ?? ""} />
        </Link>
      </th>
      {cells.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns of one table never move
        <td key={index} className={`${cell} last:pr-4 md:last:pr-6`}>
          {text}
        </td>
      ))}
    </tr>
  );
}

function formatCount(count: number): string {
  return count.toLocaleString("en-GB");
}
