/** The ways in which a call can end. A call ends once. */
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
/** The way in which a call ended. */
export type OutcomeKind = (typeof outcomeKinds)[number];

/** The outcome of a call. */
export interface Outcome {
  readonly kind: OutcomeKind;
  /** A short identifier of the reason. It never contains a value from the call. */
  readonly code: string;
}
