/** How a call ended, once. */
export const outcomeKinds = [
  "succeeded",
  "failed",
  "refused",
  "denied",
  "expired",
  "cancelled",
  "superseded",
  "unknown",
] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

export interface Outcome {
  readonly kind: OutcomeKind;
  /** A short identifier that says why; never a value. */
  readonly code: string;
}
