import { alignTable } from "./table.ts";

/** Each target with its measured value. */
export interface BenchTarget {
  readonly what: string;
  readonly aim: string;
  readonly measured: string;
  /** Undefined: a short run does not judge it. */
  readonly met: boolean | undefined;
}

/**
 * How far a quick run may miss a ratio. CI runs it on a machine that other work shares: it finds what is broken, not what
 * is slow.
 */
export const getRatioLeeway = (quick: boolean): number => (quick ? 4 : 1);

/** A quick run does not judge absolute times: they say more about the machine than about Paraph. */
export const judgeInFullRun = (quick: boolean, met: boolean): boolean | undefined =>
  quick ? undefined : met;

export const areAllMet = (targets: readonly BenchTarget[]): boolean =>
  targets.every(({ met }) => met !== false);

export function formatTargets(heading: string, targets: readonly BenchTarget[]): string {
  const verdict = ({ met }: BenchTarget) => (met === undefined ? "not judged" : met ? "pass" : "MISS");
  const rows = targets.map((target) => [target.what, target.aim, target.measured, verdict(target)]);
  return alignTable([heading, "aim", "measured", ""], rows);
}
