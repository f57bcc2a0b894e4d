import type { CastVote, RoundStatus } from "../approval.ts";
import type { AttemptEnd, CallState, Parent } from "../call.ts";
import type { RecordedEvent } from "../event.ts";
import type { Outcome } from "../outcome.ts";
import type { Guard } from "../policy/policy.ts";
import type { Resolution } from "../receipts/resolution.ts";

/** An event with the epoch that its transaction raised the call to, where whoever hands it over knows that. */
export interface ReplayedEvent extends RecordedEvent {
  readonly epoch?: number;
}

/** What the rows of a call must say, as far as its events tell. Undefined: they have none, or do not tell. */
export interface RebuiltCall {
  readonly principal: string;
  readonly onBehalfOf: string | undefined;
  readonly capability: string;
  readonly version: number;
  readonly createdAt: number;
  readonly supersedes: string | undefined;
  readonly editedBy: string | undefined;
  readonly parent: Parent | undefined;
  /** The commitment of what was settled when the call was opened. */
  readonly facts: string | undefined;
  readonly state: CallState;
  /** A composite that has begun to take its steps. */
  readonly begun: boolean;
  /** Not told while a call is looked at again and again without anything happening to it. */
  readonly epoch: number | undefined;
  readonly deadline: number | undefined;
  readonly outcome: Outcome | undefined;
  readonly rounds: readonly RebuiltRound[];
  readonly attempts: readonly RebuiltAttempt[];
  /** How many lock keys it holds. */
  readonly held: number;
  /** Its one place in the queues of so many keys. */
  readonly queued: { readonly keys: number; readonly position: number } | undefined;
  readonly messages: readonly RebuiltMessage[];
  /** `statement`: the digest of what was signed about it. */
  readonly resolution: (Resolution & { readonly statement: string }) | undefined;
}

export interface RebuiltRound {
  readonly approval: string | undefined;
  readonly round: number;
  readonly digest: string;
  readonly status: RoundStatus;
  readonly guards: readonly Guard[];
  readonly expiresAt: number;
  readonly votes: readonly CastVote[];
}

export interface RebuiltAttempt {
  readonly attempt: number;
  readonly at: number;
  readonly deadline: number;
  /** The standing approval that it used. */
  readonly grant: string | undefined;
  readonly ended: AttemptEnd | undefined;
}

/** Something that was said while people were asked. */
export interface RebuiltMessage {
  readonly message: string;
  readonly by: string;
  readonly as: string;
}
