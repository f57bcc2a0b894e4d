import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { maxStatistics, statisticsByPrincipalQuery } from "../api/people-queries.ts";
import type { PrincipalSummary, Statistics } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatAgo, useNow } from "../lib/time.ts";
import { Avatar } from "../ui/principal.tsx";
import { TableHead } from "../ui/table-head.tsx";
import { formatKind, formatRoles, StateMark } from "./principal-state.tsx";

/** Principals as a table. A phone shows the columns as lines of one cell. */
export function PeopleTable({ principals }: { readonly principals: readonly PrincipalSummary[] }) {
  const now = useNow();
  const { data } = useQuery(statisticsByPrincipalQuery);
  const activity = new Map(data?.statistics.map((one) => [one.principal, one]));
  const readCalls = (id: string) => {
    if (!data) return "";
    const found = activity.get(id);
    if (found) return found.calls.toLocaleString("en-GB");
    // The statistics name only the busiest principals.
    const least = data.statistics.at(maxStatistics - 1)?.calls;
    return least === undefined ? "0" : `at most ${least.toLocaleString("en-GB")}`;
  };
  return (
    <table className="w-full table-fixed text-left">
      <TableHead
        hiddenBelow="md"
        columns={[
          ["Name", "pr-3 pl-6"],
          ["Kind", "w-24 px-3 max-lg:hidden"],
          ["Ended in 30 d", "w-30 px-3 text-right"],
          ["Success", "w-24 px-3 text-right"],
          ["State", "w-28 px-3"],
          ["Last use", "w-32 pr-6 pl-3 text-right"],
        ]}
      />
      <tbody>
        {principals.map(({ id, kind, owner, groups, state, lastUsed }) => {
          const roles = formatRoles(groups);
          const calls = readCalls(id);
          const success = formatSuccess(activity.get(id));
          const used = lastUsed === undefined ? "Never" : formatAgo(lastUsed, now);
          return (
            <tr key={id} className="border-b border-line hover:bg-sunken">
              <td className="px-4 py-2 md:pr-3 md:pl-6">
                <span className="flex items-start gap-2.5 md:items-center">
                  <span className="max-md:mt-0.5">
                    <Avatar id={id} kind={kind} />
                  </span>
                  <span className="min-w-0 flex-1">
                    <Link
                      to="/people/$principal"
                      params={{ principal: id }}
                      className="block font-semibold hover:underline max-md:min-h-7"
                    >
                      <Foreign text={id} />
                    </Link>
                    {owner !== undefined && (
                      <span className="block text-sm text-muted">
                        Owner <Foreign text={owner} />
                      </span>
                    )}
                    {roles !== "" && <span className="block text-sm text-muted">{roles}</span>}
                    <span className="flex flex-wrap gap-x-2.5 text-sm text-muted md:hidden">
                      <StateMark state={state} />
                      <span>
                        {formatKind(kind)}
                        {calls !== "" && `, ${calls} ${calls === "1" ? "call" : "calls"} ended in 30 d`}
                        {success !== "" && `, ${success} succeeded`}
                      </span>
                      <span>Last use: {used}</span>
                    </span>
                  </span>
                </span>
              </td>
              <td className="px-3 py-2 text-sm text-muted max-lg:hidden">{formatKind(kind)}</td>
              <td className="px-3 py-2 text-right max-md:hidden">{calls}</td>
              <td className="px-3 py-2 text-right max-md:hidden">{success}</td>
              <td className="px-3 py-2 text-sm max-md:hidden">
                <StateMark state={state} />
              </td>
              <td className="py-2 pr-6 pl-3 text-right text-sm whitespace-nowrap text-muted max-md:hidden">
                <time dateTime={lastUsed} title={lastUsed}>
                  {used}
                </time>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Formats a share of success. Only a share of all calls is 100 %. */
export function formatSuccess(statistics: Statistics | undefined): string {
  const rate = statistics?.successRate;
  return rate === undefined ? "" : `${Math.floor(rate * 100)} %`;
}
