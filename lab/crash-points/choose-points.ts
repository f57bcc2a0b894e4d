import { createHash } from "node:crypto";
import type { CrashPoint } from "./points.ts";

/** A point as reports and cases write it. */
export function formatPoint({ role, victim, when, boundary, afterMs }: CrashPoint): string {
  const later = afterMs === undefined ? "" : ` + ${afterMs} ms`;
  return `${role}: ${victim} dies ${when} ${boundary}${later}`;
}

/** The points to strike, in order: the named ones, or a sample of `count`, or all of them. */
export function choosePoints(
  all: readonly CrashPoint[],
  { named, count, seed }: { named?: readonly string[]; count?: number; seed: number },
): CrashPoint[] {
  if (named) return all.filter((point) => named.includes(formatPoint(point)));
  return count === undefined ? [...all] : drawSample(all, count, seed);
}

/** Ordered by a hash of each point's name, so that a new boundary does not change which others are drawn. */
function drawSample(all: readonly CrashPoint[], count: number, seed: number): CrashPoint[] {
  const rank = (point: CrashPoint) =>
    createHash("sha256")
      .update(`${seed} ${formatPoint(point)}`)
      .digest("hex");
  return all
    .map((point) => ({ point, rank: rank(point) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ point }) => point);
}
