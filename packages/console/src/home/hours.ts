import type { OutcomeKind, Statistics } from "../api/types.ts";

const hourMs = 3_600_000;

/** The parts of a bar, from the bottom to the top. */
export const series = [
  { name: "Succeeded", outcomes: ["succeeded"], color: "bg-good" },
  {
    name: "Not performed",
    outcomes: ["refused", "denied", "expired", "cancelled", "superseded"],
    color: "bg-edge",
  },
  { name: "Failed", outcomes: ["failed"], color: "bg-critical" },
  { name: "Unknown", outcomes: ["unknown"], color: "bg-unknown" },
] as const satisfies readonly { name: string; outcomes: readonly OutcomeKind[]; color: string }[];

/** The calls that ended in one hour or day. */
export interface Hour {
  readonly start: number;
  /** The number of calls of each series. */
  readonly counts: readonly number[];
  readonly total: number;
}

/** Returns 24 hours from `start`, those without calls included. */
export function countHours(start: number, statistics: readonly Statistics[]): readonly Hour[] {
  return countPeriods(start, 24, hourMs, statistics);
}

/** Returns this number of hours or days from `start`, those without calls included. */
export function countPeriods(
  start: number,
  length: number,
  ms: number,
  statistics: readonly Statistics[],
): readonly Hour[] {
  const known = new Map(statistics.map((one) => [Date.parse(one.hour ?? one.day ?? ""), one.outcomes]));
  return Array.from({ length }, (_, index) => {
    const at = start + index * ms;
    const outcomes = known.get(at) ?? {};
    const counts = series.map(({ outcomes: kinds }) =>
      kinds.reduce((sum, kind) => sum + (outcomes[kind] ?? 0), 0),
    );
    return { start: at, counts, total: counts.reduce((sum, count) => sum + count, 0) };
  });
}

/** Returns the top of an axis for this value: 2, 4, 10, 20, 40, 100 and so on, so that the middle is a whole number. */
export function roundUpAxis(value: number): number {
  for (let step = 1; ; step *= 10)
    for (const top of [2 * step, 4 * step, 10 * step]) if (top >= value) return top;
}
