import { type OutcomeCodeType, outcomeCodes } from "@paraph/core/outcome-codes";

const codes: Readonly<Record<string, OutcomeCodeType>> = outcomeCodes;

/**
 * Returns why a call ended with this outcome, or undefined if the code is not one of Paraph's. Capabilities choose further
 * codes. A code of theirs that Paraph has for other outcomes only gets no words either.
 */
export function explainOutcome({
  kind,
  code,
}: {
  readonly kind: string;
  readonly code: string;
}): string | undefined {
  if (!Object.hasOwn(codes, code)) return undefined;
  return codes[code]?.outcomes.some((outcome) => outcome === kind) ? codes[code].meaning : undefined;
}
