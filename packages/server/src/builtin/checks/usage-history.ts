/** What a principal has done with a capability before: a port, PostgreSQL's side of it is handed in. */
export interface UsageHistory {
  of(subject: {
    readonly tenant: string;
    readonly principal: string;
    readonly capability: string;
    /** The call that is being judged, which is no part of its own history. */
    readonly call: string;
  }): Promise<RecentUsage>;
}

export interface RecentUsage {
  /** Bytes of the inputs of earlier calls that succeeded, as canonical JSON. */
  readonly sizes: readonly number[];
  /** Calls within the last hour, this one among them. */
  readonly thisHour: number;
  /** Calls in each earlier hour that had any. */
  readonly earlierHours: readonly number[];
}
