/** An adapter and the tenants to poll it for. Undefined `tenants` means all tenants. */
export interface PolledAdapter {
  readonly adapter: string;
  readonly tenants: readonly string[] | undefined;
  /** The time that a claim lasts. */
  readonly leaseMs: number;
}

/** The poll of one adapter for one tenant, claimed by a poller. */
export interface ClaimedPoll {
  readonly tenant: string;
  readonly adapter: string;
  /** [fence] The epoch of the claim. A write at any other epoch has no effect. */
  readonly epoch: number;
}

/** An observation in its stored form. */
export interface StorableObservation {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly at?: number;
  /** The data as JSON, or undefined if it was too large or not valid JSON. */
  readonly body?: string;
}

/** The polling state of each adapter and tenant. Every method is one transaction. */
export interface PollStore {
  /** Creates the missing polls, so that every adapter is polled for each of its tenants. */
  begin(watching: readonly PolledAdapter[]): Promise<void>;
  /**
   * Claims polls that are due. A claim lasts for `leaseMs`. After the lease, the next claim of the same poll raises the
   * epoch.
   */
  claim(watching: readonly PolledAdapter[], limit: number): Promise<readonly ClaimedPoll[]>;
  /**
   * Returns the cursor and the number of failures of a claimed poll. Returns undefined if another poller has claimed
   * the poll after this claim.
   */
  at(
    claimed: ClaimedPoll,
  ): Promise<{ readonly cursor: string | null; readonly failures: number } | undefined>;
  /**
   * Writes observations and the next cursor in one transaction. Returns the number of new observations, or undefined if
   * another poller has claimed the poll after this claim.
   */
  commit(
    claimed: ClaimedPoll,
    page: { readonly cursor: string; readonly observations: readonly StorableObservation[] },
    times: { readonly waitMs: number; readonly keepMs: number },
  ): Promise<number | undefined>;
  failed(claimed: ClaimedPoll, waitMs: number, code: string): Promise<boolean>;
}
