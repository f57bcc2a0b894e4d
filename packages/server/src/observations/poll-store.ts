/** Which adapter looks for which tenants: all of them unless named. */
export interface PolledAdapter {
  readonly adapter: string;
  readonly tenants: readonly string[] | undefined;
  /** Whoever claims a look has it for so long. */
  readonly leaseMs: number;
}

/** One adapter's looking for one tenant, as somebody who claimed it holds it. */
export interface ClaimedPoll {
  readonly tenant: string;
  readonly adapter: string;
  /** [fence] Nothing is written at any other. */
  readonly epoch: number;
}

/** An observation as it is kept. */
export interface StorableObservation {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly at?: number;
  /** Its data as JSON; not given: it was too large to keep, or no JSON. */
  readonly body?: string;
}

/** How far each adapter has looked for each tenant, as rows. Every method is one transaction. */
export interface PollStore {
  /** Sees to it that every adapter looks for every tenant it is to look for. */
  begin(watching: readonly PolledAdapter[]): Promise<void>;
  /** Takes those that are due. Whoever takes one has it until its time is over; then the next raises its epoch. */
  claim(watching: readonly PolledAdapter[], limit: number): Promise<readonly ClaimedPoll[]>;
  /** Where to go on; undefined: somebody else has it by now. */
  at(
    claimed: ClaimedPoll,
  ): Promise<{ readonly cursor: string | null; readonly failures: number } | undefined>;
  /** What was perceived and where to go on, in one transaction: how many were new. Undefined: somebody else has it by now. */
  commit(
    claimed: ClaimedPoll,
    perceived: { readonly cursor: string; readonly observations: readonly StorableObservation[] },
    times: { readonly waitMs: number; readonly keepMs: number },
  ): Promise<number | undefined>;
  failed(claimed: ClaimedPoll, waitMs: number, code: string): Promise<boolean>;
}
