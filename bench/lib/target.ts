import { alignTable } from "./table.ts";

export interface BenchTarget {
  readonly what: string;
  readonly aim: string;
  readonly measured: string;
  /** Whether the target was met. Undefined if the run is quick and does not evaluate this target. */
  readonly met: boolean | undefined;
}

/**
 * Returns the factor by which a quick run may miss a ratio. CI does quick runs on a shared machine, where they can
 * detect broken code but not slow code.
 */
export const getRatioLeeway = (quick: boolean): number => (quick ? 4 : 1);

/**
 * Returns undefined in a quick run, because absolute times in a quick run depend more on the machine than on Paraph.
 */
export const judgeInFullRun = (quick: boolean, met: boolean): boolean | undefined =>
  quick ? undefined : met;

export const areAllMet = (targets: readonly BenchTarget[]): boolean =>
  targets.every(({ met }) => met !== false);

export function formatTargets(heading: string, targets: readonly BenchTarget[]): string {
  const verdict = ({ met }: BenchTarget) => (met === undefined ? "not evaluated" : met ? "pass" : "MISS");
  const rows = targets.map((target) => [target.what, target.aim, target.measured, verdict(target)]);
  return alignTable([heading, "aim", "measured", ""], rows);
}
