import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { daysQuery, shownDays } from "../api/capability-queries.ts";
import type { CallError, Statistics } from "../api/types.ts";
import { OutcomeReason } from "../calls/outcome-reason.tsx";
import { OutcomeBars } from "../home/hour-chart.tsx";
import { countPeriods, type Hour, series } from "../home/hours.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatDuration, formatExactTime, formatTime, useNow } from "../lib/time.ts";
import { Card } from "../ui/card.tsx";
import { LoadError, Skeleton } from "../ui/states.tsx";
import { formatShare } from "./capability-rows.tsx";
import { DurationChart } from "./duration-chart.tsx";

const dayMs = 24 * 3_600_000;

/** The outcomes and durations of a capability's calls in the last four weeks, and the calls that failed last. */
export function CapabilityActivity({ capability }: { readonly capability: string }) {
  const { data, isPending, error, refetch } = useQuery(daysQuery(capability));
  if (isPending) return <Skeleton />;
  if (!data) return <LoadError error={error} onRetry={() => void refetch()} />;
  const days = countPeriods(data.start, shownDays, dayMs, data.statistics);
  return (
    <div className="grid max-w-290 grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <Card
        title="Calls per day"
        more={
          <Link to="/calls" search={{ capability }} className="link">
            Open calls
          </Link>
        }
      >
        <div className="p-3.5">
          <OutcomeBars periods={days} ticks={4} formatStart={formatDay} />
          <DurationChart days={days} statistics={data.statistics} />
          <details className="mt-3">
            <summary className="link w-fit cursor-pointer text-sm max-md:min-h-7">Show as a table</summary>
            <DayTable days={days} statistics={data.statistics} />
          </details>
        </div>
      </Card>
      <Card title="Last errors">
        <ErrorList errors={data.errors} />
      </Card>
    </div>
  );
}

function DayTable({
  days,
  statistics,
}: {
  readonly days: readonly Hour[];
  readonly statistics: readonly Statistics[];
}) {
  const known = new Map(statistics.map((one) => [Date.parse(one.day ?? ""), one]));
  const busy = days.filter(({ total }) => total > 0).toReversed();
  if (busy.length === 0)
    return <p className="mt-2 text-sm text-muted">No call ended in the last {shownDays} days.</p>;
  return (
    <div role="region" aria-label="Calls per day" tabIndex={0} className="mt-2 overflow-x-auto">
      <table className="w-full text-right text-sm whitespace-nowrap">
        <thead className="text-xs text-muted">
          <tr className="border-b border-line">
            <th scope="col" className="py-1.5 text-left font-medium">
              Day (UTC)
            </th>
            {[...series.map(({ name }) => name), "Success", "Typical time", "Slow time"].map((name) => (
              <th key={name} scope="col" className="py-1.5 pl-3 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {busy.map(({ start, counts }) => {
            const { successRate, actingMs } = known.get(start) ?? {};
            return (
              <tr key={start} className="border-b border-line">
                <th scope="row" className="py-1.5 text-left font-normal">
                  {formatDay(start)}
                </th>
                {series.map(({ name }, index) => (
                  <td key={name} className="py-1.5 pl-3">
                    {counts[index]}
                  </td>
                ))}
                <td className="py-1.5 pl-3">{formatShare(successRate)}</td>
                <td className="py-1.5 pl-3">{actingMs && formatDuration(actingMs.p50)}</td>
                <td className="py-1.5 pl-3">{actingMs && formatDuration(actingMs.p95)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function ErrorList({ errors }: { readonly errors: readonly CallError[] }) {
  const now = useNow();
  if (errors.length === 0)
    return <p className="p-3.5 text-muted">No call failed or ended unknown in the last {shownDays} days.</p>;
  return (
    <ul className="divide-y divide-line">
      {errors.map(({ call, code, outcome, principal, at }) => (
        <li key={call} className="px-3.5 py-2.5">
          <Link
            to="/calls/$call"
            params={{ call }}
            className="block font-medium hover:underline max-md:min-h-7"
          >
            <span className={outcome === "unknown" ? "text-unknown" : "text-critical"}>
              {outcome === "unknown" ? "Unknown" : "Failed"}
            </span>{" "}
            <span className="font-normal">
              <OutcomeReason outcome={{ kind: outcome, code }} />
            </span>
          </Link>
          <p className="text-sm text-muted">
            <Foreign text={principal} />,{" "}
            <time dateTime={at} title={formatExactTime(at)}>
              {formatTime(at, now)}
            </time>
          </p>
        </li>
      ))}
    </ul>
  );
}

function formatDay(start: number): string {
  return new Date(start).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
}
