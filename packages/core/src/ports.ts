import type { CastVote, RoundStatus } from "./approval.ts";
import type { AttemptEnd, Call, CallFacts, CallRef, CallState, Child, PayloadName } from "./call.ts";
import type { Progress } from "./capability/capability.ts";
import type { Catalog } from "./capability/catalog.ts";
import type { Contract } from "./capability/contract.ts";
import type { NewEvent } from "./event.ts";
import type { Freeze } from "./freeze.ts";
import type { Grant } from "./grant.ts";
import type { Json } from "./json.ts";
import type { Limit, Usage } from "./limit.ts";
import type { Outcome } from "./outcome.ts";
import type { Guard, Policy } from "./policy/policy.ts";
import type { Principal } from "./principal.ts";
import type { CallLinks } from "./receipts/call-links.ts";
import type { Envelope } from "./receipts/dsse.ts";
import type { Resolution } from "./receipts/resolution.ts";
import type { Sealer } from "./receipts/seal.ts";
import type { Settings } from "./settings.ts";

/** What the pipeline is handed. Everything that touches the world is one of these. */
export interface Ports {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly policy: Policy;
  readonly freezes: Freezes;
  readonly signer: Signer;
  readonly sealer: Sealer;
  readonly links: CallLinks;
  readonly clock: Clock;
  readonly random: Random;
  readonly credentials: Credentials;
  readonly telemetry: Telemetry;
  readonly settings: Settings;
  /** Passes on what an attempt says while it lasts. It may be lost; it is never waited for. */
  readonly progress?: (call: CallRef, attempt: number, said: Progress) => void;
}

/** What the kill switch holds, as this process knows it: at most a second old. The store decides; this saves touching the world. */
export interface Freezes {
  inForce(principal: Principal, contract: Contract): Pick<Freeze, "id" | "kind"> | undefined;
}

/** PostgreSQL owns what happened. Every method is one transaction; what it returns is committed. */
export interface Store {
  load(ref: CallRef): Promise<Call | undefined>;
  /**
   * Loads a call for a segment, and records that this process runs it. Where the process that ran it before died
   * without writing anything, one more death is counted.
   */
  begin(ref: CallRef): Promise<Call | undefined>;
  findByKey(principal: Principal, key: string): Promise<Call | undefined>;
  findByApproval(tenant: string, approval: string): Promise<Call | undefined>;
  /**
   * [P1] Writes a new call, or says that the key is taken and by whom. [TRUST 34] A call whose acceptance says `undoes` claims
   * that call and its steps: no two claim the same, unless the first is over and has undone nothing.
   */
  open(opening: NewCall): Promise<OpenResult>;
  /** Takes all lock keys of the call together, or leaves it in the queue. */
  lock(taking: LockRequest): Promise<LockResult>;
  /** Moves a call on: state, events and everything they record, all or nothing, only at this epoch. */
  commit(transition: FencedTransition): Promise<CommitResult>;
  /** Whether the tenant has a person besides these. */
  hasOtherPerson(tenant: string, except: readonly string[]): Promise<boolean>;
  /** Standing approvals that are in force for this principal's calls of this capability, the soonest to end first. */
  grants(principal: Principal, capability: string): Promise<readonly Grant[]>;
  /** What the principal has used lately. */
  usage(principal: Principal): Promise<Usage>;
  /** [P6] In one transaction the call ends as superseded and its successor is opened, or neither. */
  supersede(ending: FencedTransition, successor: NewCall): Promise<CommitResult>;
  /** What was found out about an unknown outcome, once; frees what it kept. */
  resolve(resolution: NewResolution): Promise<CommitResult>;
  /** [TRUST 19] A call of this principal and session for the very same request that is open, or over and still owed. */
  findDuplicate(principal: Principal, session: string, requestDigest: string): Promise<Call | undefined>;
  /** Whoever asked for these has got their results: the same request is a new call from now on. */
  markDelivered(tenant: string, calls: readonly string[]): Promise<void>;
  /** The calls that a composite has made so far, in the order they were opened. */
  children(ref: CallRef): Promise<readonly Child[]>;
  /** Whom this person stands in for at the moment, and the groups those are in. */
  delegationsTo(
    tenant: string,
    person: string,
  ): Promise<readonly { readonly person: string; readonly groups: readonly string[] }[]>;
}

export interface NewResolution extends CallRef {
  /** [fence] Of the closed call. */
  readonly epoch: number;
  readonly resolution: Resolution;
  readonly event: NewEvent;
  readonly payloads: readonly NewPayload[];
  readonly statement: NewReceipt;
  readonly settle: { readonly spent: number };
}

/** Fields that change as a call moves on. `nextAt` undefined: nothing is due (closed). */
export interface CallPosition {
  readonly state: CallState;
  readonly nextAt: number | undefined;
  readonly deadline?: number;
  readonly outcome?: Outcome;
}

export interface CallWrites {
  readonly events: readonly NewEvent[];
  readonly payloads?: readonly NewPayload[];
  readonly ask?: NewApproval;
  readonly intent?: NewIntent;
  readonly receipt?: NewReceipt;
  /** Acceptances, intents and late reads carry one. */
  readonly gate?: Gate;
  /**
   * `runs`: this process goes on to run the call's code, so that its death counts. `failed`: the segment threw.
   * Neither is progress. Any other write is, and sets the count of deaths back to none.
   */
  readonly segment?: "runs" | "failed";
}

/**
 * What an acceptance or an intent is held against inside its own transaction, in an order with those who freeze,
 * publish, revoke and spend: whoever answered first is seen by whoever comes later.
 */
export interface Gate {
  readonly adapter: string;
  /** The policy set that was asked; with another in force, the question must be put again. Not given: not asked. */
  readonly policy?: string;
  /** At acceptance the call itself is counted; at the intent money is reserved and a place taken, once per call. */
  readonly limits: readonly Limit[];
  /** The grant that is used up by this, at the intent; given back where the attempt ends as not performed. */
  readonly grant?: { readonly id: string; readonly amount: number };
  /** What the call costs, where it costs anything: reserved as the principal's own spending, limit or not. */
  readonly spend?: { readonly principal: string; readonly amount: number };
}

export interface NewIntent {
  readonly attempt: number;
  readonly at: number;
  readonly deadline: number;
  /** Who writes it down is not who acts: whether the writing process lives says nothing about the attempt. */
  readonly performer?: "agent";
}

/** Why a gate stayed shut; nothing was written. */
export type GateRejection =
  | { readonly reason: "frozen"; readonly freeze: Pick<Freeze, "id" | "kind"> }
  | { readonly reason: "policy-changed" }
  | { readonly reason: "grant-spent"; readonly grant: string }
  /** `resetAt`: when its window begins anew; undefined for concurrency, which frees itself. */
  | {
      readonly reason: "limit-reached";
      readonly limit: string;
      readonly kind: Limit["kind"];
      readonly resetAt?: number;
    };

export type OpenResult =
  | { readonly kind: "opened" }
  | { readonly kind: "exists"; readonly call: Call }
  /** [TRUST 19] The same request is owed already, by this call: nothing was written. */
  | { readonly kind: "twin"; readonly call: Call }
  /** [TRUST 34] What it undoes is undone by this call, or may be: nothing was written. */
  | { readonly kind: "undone"; readonly by: string }
  /** The composite whose step it would be had moved on, or is over: nothing was written. */
  | { readonly kind: "lost" }
  | { readonly kind: "stopped"; readonly stop: GateRejection };

export interface NewCall extends CallFacts, CallPosition, CallWrites {
  /**
   * [fence] The epoch at which its composite asks for it. Opening a step raises that epoch, so that nobody can end a
   * composite beside a step that is just being opened.
   */
  readonly parentEpoch?: number;
  /**
   * Unless it is over at once: whoever asks for the same again in its session gets this call, also when it is over, until its
   * result was handed over, and for a day at most.
   */
  readonly undelivered?: boolean;
}

/** One change of a call's rows, all or nothing. */
export interface Transition extends CallPosition, CallWrites {
  readonly closeRound?: { readonly approval: string; readonly status: Exclude<RoundStatus, "open"> };
  /** [P15] Counts only while the round is open and not expired by the store's own clock. */
  readonly vote?: { readonly approval: string; readonly vote: CastVote };
  readonly endAttempt?: { readonly attempt: number; readonly as: AttemptEnd };
  /** Frees the call's locks and its place in any queue. Unknown outcomes keep theirs. */
  readonly unlock?: boolean;
  /** Ends what the intent reserved: so much was spent of the money, and the place is free. Unknown keeps the money. */
  readonly settle?: { readonly spent: number | "unknown" };
  /**
   * The limit whose next free place this call waits for. Whoever leaves a place wakes the one that waits longest. Where one
   * is free by now, this call is woken at once.
   */
  readonly waitFor?: Limit;
  /** With this code, nothing is due until a person lets the call go on. Any other move takes it away. */
  readonly stuck?: string;
  /** [P15] Counts only from this instant on, or before that one, by the store's own clock. */
  readonly timely?: { readonly from?: number; readonly before?: number };
}

export interface FencedTransition extends CallRef, Transition {
  /** [fence] The epoch this segment read; a commit at any other is lost. */
  readonly epoch: number;
}

export interface LockRequest extends CallRef {
  readonly epoch: number;
  /** When the sweeper looks after it if it has to queue, and if it need not. */
  readonly queuedNextAt: number;
  readonly heldNextAt: number;
}

export type LockResult =
  /** `fresh`: taken just now, and the event `locked` written; otherwise the call held them already. */
  | { readonly kind: "held"; readonly epoch: number; readonly fresh: false }
  /** `at`: when the keys were really had, by the store's clock; asking for them may have taken a while. */
  | { readonly kind: "held"; readonly epoch: number; readonly fresh: true; readonly at: number }
  | { readonly kind: "queued"; readonly epoch: number }
  | { readonly kind: "lost" };

export type CommitResult =
  | { readonly kind: "done"; readonly epoch: number; readonly wake: readonly Wake[] }
  /** The call had moved on: another segment owns it now. */
  | { readonly kind: "lost" }
  /** [P15] The store's clock says no: a vote or a report after its end, or an expiry before it. */
  | { readonly kind: "untimely" }
  | { readonly kind: "stopped"; readonly stop: GateRejection };

/** A message to send: run a segment of this call, now or at a time. Only a hint; the sweeper repeats it. */
export interface Wake extends CallRef {
  readonly epoch: number;
  readonly at?: number;
}

export interface NewPayload {
  readonly name: PayloadName;
  readonly salt: string;
  readonly value: Json;
}

export interface NewApproval {
  readonly id: string;
  readonly round: number;
  readonly digest: string;
  readonly guards: readonly Guard[];
  readonly expiresAt: number;
}

export interface NewReceipt {
  readonly envelope: Envelope;
  readonly digest: string;
}

/** Restate owns what happens next: the one verb of the engine. */
export interface Engine {
  send(wake: Wake): Promise<void>;
}

export interface Signer {
  readonly keyId: string;
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Follows the database's clock, which alone decides waits; here it stamps and measures. */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
  /** A signal that aborts after `ms`; `clear` when it is no longer needed. */
  deadline(ms: number): { readonly signal: AbortSignal; clear(): void };
}

export interface Random {
  /** A new, time-ordered id with this prefix. */
  id(prefix: "call" | "ask" | "grant" | "freeze" | "message" | "delegation"): string;
  /** Sixteen unpredictable bytes in hex. */
  salt(): string;
  /** Uniform in [0, 1). */
  chance(): number;
}

export interface Credentials {
  resolve(tenant: string, name: string): Promise<string>;
}

/** Names, numbers and codes only. */
export interface Telemetry {
  span<T>(name: string, about: SpanAttributes, body: () => Promise<T>): Promise<T>;
  measure(name: Measurement, value: number, about?: SpanAttributes): void;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type Measurement =
  | "executor.preview.count"
  | "executor.preview.seconds"
  | "executor.preview.failures"
  | "executor.execution_request.steps.count"
  | "executor.execution_request.preview.seconds"
  | "executor.execution_request.apply.seconds"
  | "paraph.call.outcomes"
  | "paraph.call.attempts"
  | "paraph.seal.failures"
  | "paraph.engine.registrations"
  | "paraph.approval.wait.seconds"
  | "paraph.lock.wait.seconds"
  | "paraph.lock.hold.seconds";
