import { statement } from "../report/coverage.ts";
import type { Struck } from "./sweep.ts";

/** Which crash points a sweep reached, as statements for docs/proof.md. */
export function sweepCoverage(struck: readonly Struck[], known: number): string[] {
  const reached = struck.filter((each) => each.reached).map(({ point }) => point);
  return [
    `${struck.length} crash points tried of ${known} known; ${reached.length} were reached.`,
    ...statement(
      "Killed with SIGKILL",
      reached.map(({ role, victim }) => (victim === "process" ? `${role} process` : victim)),
    ),
    ...statement(
      "Moment",
      reached.map(({ when, afterMs }) =>
        afterMs === undefined ? `${when} the boundary` : `${afterMs} ms after the intent`,
      ),
    ),
    ...statement(
      "Boundaries",
      reached.map(({ role, boundary }) => `${role} ${boundary}`),
    ),
  ];
}
