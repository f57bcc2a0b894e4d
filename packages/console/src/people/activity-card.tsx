import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ownStatisticsQuery } from "../api/people-queries.ts";
import type { OutcomeKind, Statistics } from "../api/types.ts";
import { series } from "../home/hours.ts";
import { Foreign } from "../lib/foreign.tsx";
import { Card } from "../ui/card.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { formatSuccess } from "./people-table.tsx";

const maxCapabilities = 8;

/** The outcomes of a principal's calls in the last 30 days. */
export function ActivityCard({ id }: { readonly id: string }) {
  const { data, isPending, error, refetch } = useQuery(ownStatisticsQuery(id));
  return (
    <Card
      title="Calls that ended in the last 30 days"
      more={
        <span className="flex flex-wrap gap-x-4">
          <Link to="/activity" search={{ principal: id }} className="link">
            Activity log
          </Link>
          <Link to="/calls" search={{ principal: id }} className="link">
            Open calls
          </Link>
        </span>
      }
    >
      {isPending ? (
        <Skeleton rows={3} />
      ) : !data ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data.statistics.length === 0 ? (
        <p className="p-3.5 text-muted">No call has ended in this time.</p>
      ) : (
        <Activity statistics={data.statistics} />
      )}
    </Card>
  );
}

function Activity({ statistics }: { readonly statistics: readonly Statistics[] }) {
  const sum = (kinds: readonly OutcomeKind[]) =>
    statistics.reduce(
      (total, { outcomes }) => total + kinds.reduce((of, kind) => of + (outcomes[kind] ?? 0), 0),
      0,
    );
  const totals = [
    ["Ended", statistics.reduce((total, { calls }) => total + calls, 0)],
    ...series.map(({ name, outcomes }) => [name, sum(outcomes)] as const),
  ] as const;
  const others = statistics.slice(maxCapabilities);
  const otherCalls = others.reduce((total, { calls }) => total + calls, 0);
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 px-3.5 py-3 sm:grid-cols-5">
        {totals.map(([name, total]) => (
          <div key={name} className="flex flex-col-reverse">
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="text-xl font-semibold">{total.toLocaleString("en-GB")}</dd>
          </div>
        ))}
      </dl>
      <table className="w-full text-left text-sm">
        <thead className="text-xs text-muted">
          <tr className="border-y border-line">
            <th scope="col" className="px-3.5 py-1.5 font-medium">
              Capability
            </th>
            <th scope="col" className="px-2 py-1.5 text-right font-medium">
              Calls
            </th>
            <th scope="col" className="px-3.5 py-1.5 text-right font-medium">
              Success
            </th>
          </tr>
        </thead>
        <tbody>
          {statistics.slice(0, maxCapabilities).map((one) => (
            <tr key={one.capability} className="border-b border-line last:border-b-0">
              <td className="px-3.5 py-1.5 font-mono text-xs [overflow-wrap:anywhere]">
                <Foreign text={one.capability ?? ""} />
              </td>
              <td className="px-2 py-1.5 text-right">{one.calls.toLocaleString("en-GB")}</td>
              <td className="px-3.5 py-1.5 text-right">{formatSuccess(one)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {others.length > 0 && (
        <p className="border-t border-line px-3.5 py-2 text-sm text-muted">
          And {otherCalls.toLocaleString("en-GB")} {otherCalls === 1 ? "call" : "calls"} of {others.length}{" "}
          more {others.length === 1 ? "capability" : "capabilities"}
        </p>
      )}
    </>
  );
}
