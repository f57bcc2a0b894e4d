import { createHash } from "node:crypto";
import type { CrashPoint } from "./points.ts";

/** Returns a point's name, as reports and cases write it. */
export function formatPoint({ role, victim, when, boundary, afterMs }: CrashPoint): string {
  const later = afterMs === undefined ? "" : ` + ${afterMs} ms`;
  return `${role}: ${victim} dies ${when} ${boundary}${later}`;
}

/** Returns the points to crash at, in order: the named ones, a sample of `count`, or all of them. */
export function choosePoints(
  all: readonly CrashPoint[],
  { named, count, seed }: { named?: readonly string[]; count?: number; seed: number },
): CrashPoint[] {
  if (named) return all.filter((point) => named.includes(formatPoint(point)));
  return count === undefined ? [...all] : drawSample(all, count, seed);
}

/** Orders points by a hash of their names, so that a new boundary does not change the choice among the others. */
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
