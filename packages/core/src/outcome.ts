/** The kinds of outcomes of a call. Every call ends once, with one of these kinds. */
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
/** The kind of a call's outcome. */
export type OutcomeKind = (typeof outcomeKinds)[number];

/** The outcome of a call. */
export interface Outcome {
  readonly kind: OutcomeKind;
  /** A short identifier of the reason. It never contains a value from the call. */
  readonly code: string;
}
