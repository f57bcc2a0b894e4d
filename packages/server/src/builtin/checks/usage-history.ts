/** The interface to a principal's earlier use of a capability. The server implements it with PostgreSQL. */
export interface UsageHistory {
  of(subject: {
    readonly tenant: string;
    readonly principal: string;
    readonly capability: string;
    /** The call under check. It is not counted as part of the history. */
    readonly call: string;
  }): Promise<RecentUsage>;
}

/** A principal's recent use of a capability. */
export interface RecentUsage {
  /**
   * The sizes of the inputs of earlier successful calls. Each size is the number of bytes of the input as canonical
   * JSON.
   */
  readonly sizes: readonly number[];
  /** The number of calls within the last hour, including the call under check. */
  readonly thisHour: number;
  /** The number of calls in each earlier hour that had at least one call. */
  readonly earlierHours: readonly number[];
}
