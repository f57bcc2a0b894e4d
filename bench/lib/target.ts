import { table } from "./table.ts";

/** What was promised, with what was measured. */
export interface Target {
  readonly what: string;
  readonly aim: string;
  readonly measured: string;
  /** Undefined: a short run does not judge it. */
  readonly met: boolean | undefined;
}

export const allMet = (targets: readonly Target[]): boolean => targets.every(({ met }) => met !== false);

export function judged(heading: string, targets: readonly Target[]): string {
  const verdict = ({ met }: Target) => (met === undefined ? "not judged" : met ? "pass" : "MISS");
  const rows = targets.map((target) => [target.what, target.aim, target.measured, verdict(target)]);
  return table([heading, "aim", "measured", ""], rows);
}
