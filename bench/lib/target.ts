import { table } from "./table.ts";

/** Each target with its measured value. */
export interface Target {
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
export const ratioLeeway = (quick: boolean): number => (quick ? 4 : 1);

/** A quick run does not judge absolute times: they say more about the machine than about Paraph. */
export const onlyInFull = (quick: boolean, met: boolean): boolean | undefined => (quick ? undefined : met);

export const allMet = (targets: readonly Target[]): boolean => targets.every(({ met }) => met !== false);

export function judged(heading: string, targets: readonly Target[]): string {
  const verdict = ({ met }: Target) => (met === undefined ? "not judged" : met ? "pass" : "MISS");
  const rows = targets.map((target) => [target.what, target.aim, target.measured, verdict(target)]);
  return table([heading, "aim", "measured", ""], rows);
}
