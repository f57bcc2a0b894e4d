/**
 * A bound on use. `calls` are counted at acceptance. `money` (minor units) is reserved at the intent and settled at the
 * outcome, and it stays reserved while the outcome is unknown. `concurrency` is held from the intent to the outcome.
 */
export interface Limit {
  /** The name of the limit in the configuration. People see this name. */
  readonly id: string;
  readonly kind: "calls" | "money" | "concurrency";
  /** The scope of one count: the tenant, a principal, a capability, or a principal's use of a capability. */
  readonly key: string;
  /**
   * The length of a window. Windows are fixed and do not slide, so that Paraph can tell when the next one starts.
   * Concurrency has no window.
   */
  readonly windowMs: number;
  readonly max: number;
  /** The share of the limit that this call takes. */
  readonly amount: number;
}

/** The recent use of a principal, for policies that read it. */
export interface Usage {
  readonly callsLastHour: number;
  readonly callsLastDay: number;
  /** The money spent or reserved today, in minor units. */
  readonly spentToday: number;
  /** The number of this principal's calls that people denied or returned within the last hour. */
  readonly deniedLastHour: number;
}
