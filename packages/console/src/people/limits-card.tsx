import type { PrincipalDetails } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatDuration, useNow } from "../lib/time.ts";
import { Card } from "../ui/card.tsx";

type Limit = PrincipalDetails["limits"][number];

const units: Record<Limit["kind"], string> = {
  calls: "calls",
  money: "spent, in minor units",
  concurrency: "at the same time",
};

/** The current use of each configured limit. */
export function LimitsCard({ limits }: { readonly limits: readonly Limit[] }) {
  return (
    <Card title="Limits">
      {limits.length === 0 ? (
        <p className="p-3.5 text-muted">The configuration limits neither its calls nor its spending.</p>
      ) : (
        <ul className="divide-y divide-line">
          {limits.map((limit) => (
            <LimitRow key={`${limit.kind} ${limit.limit} ${limit.capability}`} limit={limit} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function LimitRow({
  limit: { limit, kind, capability, shared, used, max, windowMs, resetsAt },
}: {
  readonly limit: Limit;
}) {
  const now = useNow();
  const share = max === 0 ? 1 : Math.min(1, used / max);
  const isNearEnd = share >= 0.8;
  const left = resetsAt === undefined ? 0 : Date.parse(resetsAt) - now;
  return (
    <li className="grid gap-1 px-3.5 py-2.5">
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="min-w-0 font-semibold">
          <Foreign text={capability ?? limit} />
        </span>
        <span className={isNearEnd ? "font-semibold text-high" : ""}>
          {used.toLocaleString("en-GB")} of {max.toLocaleString("en-GB")}
        </span>
      </p>
      <div
        role="meter"
        aria-label={capability ?? limit}
        aria-valuenow={used}
        aria-valuemin={0}
        aria-valuemax={max}
        className="h-1.5 overflow-hidden rounded-full border border-line bg-sunken"
      >
        <div
          className={`h-full origin-left ${isNearEnd ? "bg-high" : "bg-ink"}`}
          style={{ transform: `scaleX(${share})` }}
        />
      </div>
      <p className="text-sm text-muted">
        {units[kind]}
        {windowMs !== undefined && ` per ${formatDuration(windowMs)}`}
        {shared && ", shared with others"}
        {left > 0 && `, starts again in ${formatDuration(left)}`}
      </p>
    </li>
  );
}
