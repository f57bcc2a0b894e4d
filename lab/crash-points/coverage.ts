import { formatCounts } from "../report/coverage.ts";
import type { CrashedPoint } from "./sweep.ts";

/** Returns statements for docs/proof.md about the crash points that a sweep reached. */
export function summarizeSweep(crashed: readonly CrashedPoint[], known: number): string[] {
  const reached = crashed.filter((each) => each.reached).map(({ point }) => point);
  return [
    `${crashed.length} crash points tried of ${known} known; ${reached.length} were reached.`,
    ...formatCounts(
      "Killed with SIGKILL",
      reached.map(({ role, victim }) => (victim === "process" ? `${role} process` : victim)),
    ),
    ...formatCounts(
      "Moment",
      reached.map(({ when, afterMs }) =>
        afterMs === undefined ? `${when} the boundary` : `${afterMs} ms after the intent`,
      ),
    ),
    ...formatCounts(
      "Boundaries",
      reached.map(({ role, boundary }) => `${role} ${boundary}`),
    ),
  ];
}
