/**
 * A bound on use. `calls` are counted at acceptance; `money` (minor units) is reserved at the intent, settled at the
 * outcome and kept while that is unknown; `concurrency` is held from intent to outcome.
 */
export interface Limit {
  /** The name people know it by, as in the configuration. */
  readonly id: string;
  readonly kind: "calls" | "money" | "concurrency";
  /** What shares one count: the tenant, a principal, a capability, or a principal's use of a capability. */
  readonly key: string;
  /** Windows are fixed, so that the time at which they begin anew can be told. Concurrency has none. */
  readonly windowMs: number;
  readonly most: number;
  /** How much this call takes of it. */
  readonly amount: number;
}

/** How much a principal has used, for policies that look at it. */
export interface Usage {
  readonly callsLastHour: number;
  readonly callsLastDay: number;
  /** Spent or reserved today, in minor units. */
  readonly spentToday: number;
  /** Calls of this principal that people denied or returned within the last hour. */
  readonly deniedLastHour: number;
}
