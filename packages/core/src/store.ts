import type { CastVote, RoundStatus } from "./approval.ts";
import type { AttemptEnd, Call, CallFacts, CallRef, CallState, Child, PayloadName } from "./call.ts";
import type { NewEvent } from "./event.ts";
import type { Freeze } from "./freeze.ts";
import type { Grant } from "./grant.ts";
import type { Json } from "./json.ts";
import type { Limit, Usage } from "./limit.ts";
import type { Outcome } from "./outcome.ts";
import type { Guard } from "./policy/policy.ts";
import type { Principal } from "./principal.ts";
import type { Envelope, Signature } from "./receipts/dsse.ts";
import type { Resolution } from "./receipts/resolution.ts";

/**
 * The record of all calls, which PostgreSQL keeps. Every method is one transaction, and its result is committed when
 * the method returns.
 */
export interface Store {
  load(ref: CallRef): Promise<Call | undefined>;
  /**
   * Loads a call for a segment, and records that this process runs the segment. If the previous process died without
   * writing anything, adds one to the call's count of deaths.
   */
  begin(ref: CallRef): Promise<Call | undefined>;
  findByKey(principal: Principal, key: string): Promise<Call | undefined>;
  findByApproval(tenant: string, approval: string): Promise<Call | undefined>;
  /**
   * [P1] Writes a new call, or returns the call that already uses the key. [TRUST 34] If the `accepted` event has
   * `undoes`, the new call claims the call named there and its steps. A second call can claim the same call only if the
   * first claiming call is closed and has undone nothing.
   */
  open(newCall: NewCall): Promise<OpenResult>;
  /** Takes all lock keys of the call together, or puts the call in the queue. */
  lock(taking: LockRequest): Promise<LockResult>;
  /**
   * Applies one transition at this epoch. Writes the state, the events and everything that the events record, or writes
   * nothing.
   */
  commit(transition: FencedTransition): Promise<CommitResult>;
  /** Returns whether the tenant has a person other than these. */
  hasOtherPerson(tenant: string, except: readonly string[]): Promise<boolean>;
  /**
   * Returns the grants in force for this principal's calls of this capability. The grant that expires first comes
   * first.
   */
  grants(principal: Principal, capability: string): Promise<readonly Grant[]>;
  /** Returns how much the principal has used recently. */
  usage(principal: Principal): Promise<Usage>;
  /** Counts the principal's calls that people denied in the last hour, up to `atMost`. */
  countDenials(principal: Principal, atMost: number): Promise<number>;
  /** [P6] Closes the call as superseded and opens its successor in one transaction, or does neither. */
  supersede(ending: FencedTransition, successor: NewCall): Promise<CommitResult>;
  /**
   * Records the finding about an unknown outcome, at most once per call. Frees the locks and the money that the call
   * kept.
   */
  resolve(resolution: NewResolution): Promise<CommitResult>;
  /**
   * [TRUST 19] Returns a call with the same principal, session and request. The call is open, or it is closed and its
   * result is not yet delivered.
   */
  findDuplicate(principal: Principal, session: string, requestDigest: string): Promise<Call | undefined>;
  /**
   * Marks the results of these calls as delivered to their requesters. After that, a repeated request opens a new call.
   */
  markDelivered(tenant: string, calls: readonly string[]): Promise<void>;
  /** Returns the calls that a composite has made so far, in the order in which they were opened. */
  children(ref: CallRef): Promise<readonly Child[]>;
  /** Returns the people for whom this person is a delegate now, with the groups of those people. */
  delegationsTo(
    tenant: string,
    person: string,
  ): Promise<readonly { readonly person: string; readonly groups: readonly string[] }[]>;
}

/** The resolution of one unknown outcome, as the store writes it. */
export interface NewResolution extends CallRef {
  /** [fence] The epoch of the closed call. */
  readonly epoch: number;
  readonly resolution: Resolution;
  readonly event: NewEvent;
  readonly payloads: readonly NewPayload[];
  readonly statement: NewStatement;
  readonly settle: { readonly spent: number };
}

/**
 * The fields that change with each transition of a call. `nextAt` is undefined if nothing is due, for example for a
 * closed or stuck call.
 */
export interface CallPosition {
  readonly state: CallState;
  readonly nextAt: number | undefined;
  readonly deadline?: number;
  readonly outcome?: Outcome;
}

/** The rows that a transition writes besides the call's own fields. */
export interface CallWrites {
  readonly events: readonly NewEvent[];
  readonly payloads?: readonly NewPayload[];
  readonly ask?: NewApproval;
  readonly intent?: NewIntent;
  readonly receipt?: NewReceipt;
  /** The gate of this write. A write has a gate if it records an acceptance, an intent, or a read that had to wait. */
  readonly gate?: Gate;
  /**
   * `runs` means that this process continues with the call's code, so the store counts a death if this process dies.
   * `failed` means that the segment threw an error. Neither is progress. Any other write is progress and resets the
   * count of deaths.
   */
  readonly segment?: "runs" | "failed";
}

/**
 * The conditions that PostgreSQL checks in the transaction that writes an acceptance or an intent. PostgreSQL orders
 * this transaction with those that freeze, publish, revoke and spend. Each of these transactions therefore sees every
 * earlier one.
 */
export interface Gate {
  readonly adapter: string;
  /**
   * The policy set that made the ruling. If another set is in force, the pipeline must rule again. Undefined if policy
   * made no ruling.
   */
  readonly policy?: string;
  /**
   * The limits that the gate checks. An acceptance counts the call itself. An intent reserves money and a place under a
   * concurrency limit, once per call.
   */
  readonly limits: readonly Limit[];
  /** The grant that the intent uses up. The store gives it back if the attempt ends as not performed. */
  readonly grant?: { readonly id: string; readonly amount: number };
  /**
   * The cost of the call, if it has one. The store records the cost as the principal's spending, even if no limit
   * applies.
   */
  readonly spend?: { readonly principal: string; readonly amount: number };
}

/**
 * A new attempt, which the store writes down before the effect. If the answer to such a write gets lost, the store finds
 * out whether the intent was written before it returns. Otherwise the process would not act on an intent of its own.
 */
export interface NewIntent {
  readonly attempt: number;
  readonly at: number;
  readonly deadline: number;
  /**
   * `agent` if the agent acts instead of the process that writes the intent. The death of that process then reveals
   * nothing about the attempt.
   */
  readonly performer?: "agent";
}

/** The reason for which the gate rejected the write. The store then wrote nothing. */
export type GateRejection =
  | { readonly reason: "frozen"; readonly freeze: Pick<Freeze, "id" | "kind"> }
  | { readonly reason: "policy-changed" }
  | { readonly reason: "grant-spent"; readonly grant: string }
  /**
   * `resetAt` is the start of the next window. It is undefined for a concurrency limit, because other calls free its
   * places.
   */
  | {
      readonly reason: "limit-reached";
      readonly limit: string;
      readonly kind: Limit["kind"];
      readonly resetAt?: number;
    };

/** The result of opening a call. */
export type OpenResult =
  | { readonly kind: "opened" }
  | { readonly kind: "exists"; readonly call: Call }
  /**
   * [TRUST 19] `call` is an earlier call with the same request, and its result is not yet delivered. The store wrote
   * nothing.
   */
  | { readonly kind: "duplicate"; readonly call: Call }
  /**
   * [TRUST 34] Another call, `by`, has undone or may have undone the call that the new call would undo. The store wrote
   * nothing.
   */
  | { readonly kind: "undone"; readonly by: string }
  /** The composite has made another transition or has closed since it requested this step. The store wrote nothing. */
  | { readonly kind: "lost" }
  | { readonly kind: "stopped"; readonly stop: GateRejection };

/** A call that the store opens. */
export interface NewCall extends CallFacts, CallPosition, CallWrites {
  /**
   * [fence] The epoch at which the composite requests this step. Opening a step raises that epoch. No process can
   * therefore close a composite while one of its steps is being opened.
   */
  readonly parentEpoch?: number;
  /**
   * Whether a repetition of the request in the same session returns this call, until its result is delivered or a day
   * has passed. The rule also applies after the call has closed, unless the call was already closed when it was opened.
   */
  readonly undelivered?: boolean;
}

/** One change of a call's rows, all or nothing. */
export interface Transition extends CallPosition, CallWrites {
  readonly closeRound?: { readonly approval: string; readonly status: Exclude<RoundStatus, "open"> };
  /** [P15] The vote to record. It counts only if the round is open and has not expired by the store's own clock. */
  readonly vote?: { readonly approval: string; readonly vote: CastVote };
  readonly endAttempt?: { readonly attempt: number; readonly as: AttemptEnd };
  /** Whether to free the call's locks and its place in any queue. A call with an unknown outcome keeps its locks. */
  readonly unlock?: boolean;
  /**
   * The settlement of the intent's reservations. The store records the money that was spent and frees the place under
   * the limit. If the outcome is unknown, the money stays reserved.
   */
  readonly settle?: { readonly spent: number | "unknown" };
  /**
   * The limit under which this call waits for a place. A call that frees a place wakes the call that has waited
   * longest. If a place is already free, the store wakes this call immediately.
   */
  readonly waitFor?: Limit;
  /** The code of the failure that stopped the call until a person resumes it. Any other transition clears this code. */
  readonly stuck?: string;
  /**
   * [P15] The period in which the transition counts, by the store's own clock. It begins at `from` and ends at
   * `before`.
   */
  readonly timely?: { readonly from?: number; readonly before?: number };
}

/** A transition that applies only at the epoch that its segment has read. */
export interface FencedTransition extends CallRef, Transition {
  /** [fence] The epoch that this segment read. The store rejects a commit at any other epoch. */
  readonly epoch: number;
}

/** A request for all lock keys of a call. */
export interface LockRequest extends CallRef {
  readonly epoch: number;
  /**
   * The times at which the sweeper picks the call up. `queuedNextAt` applies if the call must queue, and `heldNextAt`
   * applies if it holds its locks.
   */
  readonly queuedNextAt: number;
  readonly heldNextAt: number;
}

/**
 * The result of a request for locks. `fresh` is true if the call took the locks now, and the store then wrote the event
 * `locked`. `fresh` is false if the call already held the locks. `at` is the time, by the store's clock, when the call
 * took the locks. This time may be later than the start of the request.
 */
export type LockResult =
  | { readonly kind: "held"; readonly epoch: number; readonly fresh: false }
  | { readonly kind: "held"; readonly epoch: number; readonly fresh: true; readonly at: number }
  | { readonly kind: "queued"; readonly epoch: number }
  | { readonly kind: "lost" };

/** The result of a commit. */
export type CommitResult =
  | { readonly kind: "done"; readonly epoch: number; readonly wake: readonly Wake[] }
  /** The call has made another transition, and another segment owns it now. */
  | { readonly kind: "lost" }
  /**
   * [P15] The store rejects the transition according to its own clock. A vote or a report came after its deadline, or
   * an expiry came before the deadline.
   */
  | { readonly kind: "untimely" }
  | { readonly kind: "stopped"; readonly stop: GateRejection };

/**
 * A message that asks a worker to run a segment of this call, immediately or at the time `at`. It is only a hint, and
 * the sweeper repeats it.
 */
export interface Wake extends CallRef {
  readonly epoch: number;
  readonly at?: number;
}

/** A payload to write, with the salt of its commitment. */
export interface NewPayload {
  readonly name: PayloadName;
  readonly salt: string;
  readonly value: Json;
}

/** A round to open. */
export interface NewApproval {
  readonly id: string;
  readonly round: number;
  readonly digest: string;
  readonly guards: readonly Guard[];
  readonly expiresAt: number;
}

/**
 * A signed receipt to store. The events that it signs are stored as rows of their own, so the receipt is kept without
 * them, and `rebuildReceipt` puts them back.
 */
export interface NewReceipt {
  /** The digest of the whole receipt. */
  readonly digest: string;
  /** The canonical text of the receipt's content without its events. */
  readonly story: string;
  readonly signature: Signature;
}

/** A signed statement to store that is not a receipt, such as a resolution. */
export interface NewStatement {
  readonly digest: string;
  readonly envelope: Envelope;
}
