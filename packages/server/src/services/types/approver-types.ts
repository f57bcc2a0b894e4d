import type { Call, Delegation, HeardQuestion, OutcomeKind, Principal, Risk, Vote } from "@paraph/core";

/** What the pages for approvers need beyond the calls themselves. */
export interface ApproverService {
  /** What is open, the soonest to expire first; those after one of them. `next`: where the following page begins. */
  listInbox(
    reader: Principal,
    page: InboxFilter,
  ): Promise<{ readonly rows: readonly InboxRow[]; readonly next?: InboxFilter["after"] }>;
  /** Whether separation of duties lets this reader decide. */
  findVoterRole(reader: Principal, call: Call): Promise<Vote["as"] | "own-call" | "not-a-person">;
  /** Whom the reader stands in for now. */
  listDelegationsTo(reader: Principal): Promise<readonly Delegation[]>;
  /** Whether the tenant has no person besides the reader, who then confirms their own edits. */
  isOnlyPerson(reader: Principal): Promise<boolean>;
  /** What this call's principal has done with this capability before. */
  readHistory(call: Call): Promise<RequesterHistory>;
  /** Records that this reader was shown these sensitive fields of a call that waits for people. */
  recordReveal(reader: Principal, call: Call, paths: readonly string[]): Promise<void>;
}

export interface InboxFilter {
  readonly after?: { readonly expiresAt: number; readonly approval: string };
  readonly limit: number;
}

export interface InboxRow {
  readonly approval: string;
  readonly capability: string;
  readonly question: HeardQuestion;
  readonly votes: number;
  readonly expiresAt: number;
  /** The reader has answered already. */
  readonly voted: boolean;
  /** The reader asked, or answers for who did, and others could decide. */
  readonly ownCall: boolean;
  /** How many of its steps are how grave, where it is a plan. */
  readonly steps?: Readonly<Partial<Record<Risk, number>>>;
  /** It stands for a flood of so many. */
  readonly flood?: number;
}

export interface RequesterHistory {
  readonly outcomes: Readonly<Partial<Record<OutcomeKind, number>>>;
  readonly lastDeniedAt?: number;
  /** How many of the principal's newest calls were looked at, where there are more. */
  readonly newest?: number;
}
