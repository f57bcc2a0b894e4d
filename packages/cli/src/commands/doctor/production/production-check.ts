/** The result of a check. */
export interface Finding {
  readonly state: "ok" | "warn" | "fail" | "skipped";
  /** The measurement, or the reason why there is none. */
  readonly message: string;
  /** The fix for the problem. */
  readonly advice?: string;
}

/** One check of `paraph doctor --production`. */
export interface CheckDefinition<F> {
  /** The group of checks under which the result is printed. */
  readonly subject: string;
  readonly name: string;
  /** The consequence of a problem, in a sentence. */
  readonly why: string;
  /** Judges the facts. It reads nothing itself. */
  readonly judge: (facts: F) => Finding;
}

export interface ProductionCheck extends Omit<CheckDefinition<never>, "judge">, Finding {}

/** Facts, or the reason why they are missing. */
export type Facts<F> = { readonly value: F } | { readonly unreadable: string };

/** Runs the checks on their facts. Without the facts, every check is skipped with the reason. */
export function applyChecks<F>(facts: Facts<F>, checks: readonly CheckDefinition<F>[]): ProductionCheck[] {
  return checks.map(({ judge, ...check }) => ({
    ...check,
    ...("value" in facts ? judge(facts.value) : skipped(facts.unreadable)),
  }));
}

export const ok = (message: string): Finding => ({ state: "ok", message });
export const warn = (message: string, advice: string): Finding => ({ state: "warn", message, advice });
export const fail = (message: string, advice: string): Finding => ({ state: "fail", message, advice });
export const skipped = (message: string, advice?: string): Finding => ({
  state: "skipped",
  message,
  ...(advice !== undefined && { advice }),
});
