import type { CastVote, RoundStatus } from "../approval.ts";
import type { AttemptEnd, CallState, Parent } from "../call.ts";
import type { RecordedEvent } from "../event.ts";
import type { Outcome } from "../outcome.ts";
import type { Guard } from "../policy/policy.ts";
import type { Resolution } from "../receipts/resolution.ts";

/**
 * An event, with the epoch to which its transaction raised the call. The epoch is missing if the caller does not know
 * it.
 */
export interface ReplayedEvent extends RecordedEvent {
  readonly epoch?: number;
}

/**
 * The rows of a call, as far as its events determine them. An undefined field means that the call has no such value, or
 * that the events do not determine the value.
 */
export interface RebuiltCall {
  readonly principal: string;
  readonly onBehalfOf: string | undefined;
  readonly capability: string;
  readonly version: number;
  readonly createdAt: number;
  readonly supersedes: string | undefined;
  readonly editedBy: string | undefined;
  readonly parent: Parent | undefined;
  /** The commitment to the facts that were fixed when the call was opened. */
  readonly facts: string | undefined;
  readonly state: CallState;
  /** Whether a composite has begun to run its steps. */
  readonly begun: boolean;
  /** The call's epoch. It is undefined in states in which the sweeper raises the epoch without an event. */
  readonly epoch: number | undefined;
  readonly deadline: number | undefined;
  readonly outcome: Outcome | undefined;
  readonly rounds: readonly RebuiltRound[];
  readonly attempts: readonly RebuiltAttempt[];
  /** The number of lock keys that the call holds. */
  readonly held: number;
  /** The call's position in the queues of its lock keys, which is the same in each. `keys` is the number of these keys. */
  readonly queued: { readonly keys: number; readonly position: number } | undefined;
  readonly messages: readonly RebuiltMessage[];
  /** `statement` is the digest of the signed resolution. */
  readonly resolution: (Resolution & { readonly statement: string }) | undefined;
}

/** A round, as its events determine it. */
export interface RebuiltRound {
  readonly approval: string | undefined;
  readonly round: number;
  readonly digest: string;
  readonly status: RoundStatus;
  readonly guards: readonly Guard[];
  readonly expiresAt: number;
  readonly votes: readonly CastVote[];
}

/** An attempt, as its events determine it. */
export interface RebuiltAttempt {
  readonly attempt: number;
  readonly at: number;
  readonly deadline: number;
  /** The grant that the intent used. */
  readonly grant: string | undefined;
  readonly ended: AttemptEnd | undefined;
}

/** A message in the discussion of a waiting call. */
export interface RebuiltMessage {
  readonly message: string;
  readonly by: string;
  readonly as: string;
}
