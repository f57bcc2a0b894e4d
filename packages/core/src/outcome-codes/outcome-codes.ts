import type { OutcomeKind } from "../outcome.ts";
import { codesAfterActing } from "./after-acting.ts";
import { codesBeforeActing } from "./before-acting.ts";

/** The meaning of an outcome code. Backticks in the texts enclose code. */
export interface OutcomeCodeType {
  /** The outcomes that have this code, the most frequent one first. */
  readonly outcomes: readonly [OutcomeKind, ...OutcomeKind[]];
  readonly meaning: string;
  /** The next step for the reader. */
  readonly remedy: string;
}

/**
 * The codes of the outcomes that Paraph itself decides. Adapters and capabilities choose further codes for their own
 * errors.
 */
export const outcomeCodes = { ...codesBeforeActing, ...codesAfterActing } as const satisfies Record<
  string,
  OutcomeCodeType
>;

/**
 * Returns why a call ended with this outcome, or undefined if the code is not one of Paraph's. Capabilities choose
 * further codes. A code of theirs that Paraph has for other outcomes only gets no words either.
 */
export function explainOutcome({
  kind,
  code,
}: {
  readonly kind: string;
  readonly code: string;
}): string | undefined {
  if (!Object.hasOwn(outcomeCodes, code)) return undefined;
  const { outcomes, meaning }: OutcomeCodeType = outcomeCodes[code as keyof typeof outcomeCodes];
  return outcomes.some((outcome) => outcome === kind) ? meaning : undefined;
}

/** The code of an outcome that Paraph itself decides. */
export type OutcomeCode = keyof typeof outcomeCodes;

declare const fault: unique symbol;

/** The code of an error that a capability's code threw. The author of that code chooses it. */
export type FaultCode = string & { readonly [fault]: true };

/** The outcome with which Paraph closes a call. A code that is neither documented nor from a capability does not compile. */
export interface ClosingOutcome {
  readonly kind: OutcomeKind;
  readonly code: OutcomeCode | FaultCode;
}

/** Returns the code of a capability's error, as the code of an outcome. */
export function toFaultCode({ code }: { readonly code: string }): FaultCode {
  return code as FaultCode;
}
