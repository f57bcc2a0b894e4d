import type { Statistics } from "../api/types.ts";
import type { Hour } from "../home/hours.ts";
import { formatDuration } from "../lib/time.ts";

/** For each day, the time that half of the calls did not exceed, inside the time that 95 % of them did not exceed. */
export function DurationChart({
  days,
  statistics,
}: {
  readonly days: readonly Hour[];
  readonly statistics: readonly Statistics[];
}) {
  const known = new Map(statistics.map((one) => [Date.parse(one.day ?? ""), one.actingMs]));
  const longest = Math.max(0, ...statistics.map(({ actingMs }) => actingMs?.p95 ?? 0));
  if (longest === 0) return null;
  return (
    <>
      <h3 className="mt-6 flex flex-wrap items-baseline gap-x-4">
        <span className="font-semibold">Time to perform a call</span>
        <span className="flex items-center gap-1.5 text-sm text-muted">
          <span aria-hidden="true" className="size-2.5 flex-none rounded-xs bg-ink" />
          Typical: half of the calls (p50)
        </span>
        <span className="flex items-center gap-1.5 text-sm text-muted">
          <span aria-hidden="true" className="size-2.5 flex-none rounded-xs border border-ink bg-ink-soft" />
          Slow: 95 % of the calls (p95)
        </span>
        <span className="ml-auto text-sm text-muted">slowest day {formatDuration(longest)}</span>
      </h3>
      <div aria-hidden="true" className="mt-3 flex h-24 items-end gap-px border-b border-line sm:gap-1">
        {days.map(({ start }) => {
          const time = known.get(start);
          const share = (ms: number) => `${Math.max(2, (ms / longest) * 100)}%`;
          return (
            <div key={start} className="relative h-full min-w-0 flex-1">
              {time && (
                <>
                  <span
                    className="absolute inset-x-0 bottom-0 rounded-xs border border-ink bg-ink-soft"
                    style={{ height: share(time.p95) }}
                  />
                  <span
                    className="absolute inset-x-0 bottom-0 rounded-xs bg-ink"
                    style={{ height: share(time.p50) }}
                  />
                </>
              )}
            </div>
          );
        })}
      </div>
    </>
  );
}
