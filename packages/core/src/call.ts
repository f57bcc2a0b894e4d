import type { Approval } from "./approval.ts";
import type { Preview } from "./capability/capability.ts";
import type { FaultKind } from "./capability/fault.ts";
import type { Event } from "./event.ts";
import type { Json } from "./json.ts";
import type { Outcome } from "./outcome.ts";
import type { Guard } from "./policy/policy.ts";
import type { Principal } from "./principal.ts";
import type { Resolution } from "./receipts/resolution.ts";

/** A call is always named together with its tenant: the pair is the engine's key and every table's. */
export interface CallRef {
  readonly tenant: string;
  readonly call: string;
}

/**
 * Where an open call stands:
 * previewing: its preview took too long to wait for; checking: checks that policy demands are run; asking: a round
 * is open; ready: nothing stands before performing; queued: waiting for locks; parked: frozen before its intent;
 * offered: let through, and waiting for the agent that performs it itself to take it; performing: an intent is
 * written; composing: its steps are being taken; delayed: waiting to retry; closed.
 */
export type CallState =
  | "previewing"
  | "checking"
  | "asking"
  | "ready"
  | "queued"
  | "parked"
  | "offered"
  | "performing"
  | "composing"
  | "delayed"
  | "closed";

/** What is settled when a call is opened, and never changes. */
export interface CallFacts extends CallRef {
  readonly principal: Principal;
  readonly key: string;
  readonly capability: string;
  readonly version: number;
  readonly contractDigest: string;
  /** Over capability and input as received, before defaults. */
  readonly requestDigest: string;
  readonly session: Session;
  /** Where this call's trace began (W3C traceparent). */
  readonly trace: string | undefined;
  readonly lockKeys: readonly string[];
  /** Guards that the caller laid on itself. */
  readonly requirements: readonly Guard[];
  readonly createdAt: number;
  /** [P6] The call that this one takes the place of, because a person edited it or its contract changed. */
  readonly supersedes?: string;
  readonly editedBy?: string;
  /** The composite that made this call, as which of its steps. */
  readonly parent?: Parent;
}

export interface Parent {
  readonly call: string;
  readonly step: string;
  /** How many composites stand above it. */
  readonly depth: number;
}

/** A call that a composite made, as the composite sees it. */
export interface Child {
  readonly call: string;
  readonly step: string;
  readonly state: CallState;
  readonly capability: string;
  readonly requestDigest: string;
  readonly lockKeys: readonly string[];
  readonly supersedes?: string;
  readonly outcome?: Outcome;
  /** As its closing event says, so that everybody who asks is told the same. */
  readonly closedAt?: number;
  readonly receipt?: string;
  readonly output?: Json;
  readonly undo?: Json;
  /** Outputs and ways back of all steps are more together than can be loaded, so that none of them is here. */
  readonly withheld?: true;
}

/** Outputs and ways back of a composite's steps, in bytes, that are loaded together. The store's SQL has the same number. */
export const maxStepBytes = 16 * 1024 * 1024;

/** Everything the rows know about a call: what one segment starts from. */
export interface Call extends CallFacts {
  readonly epoch: number;
  readonly state: CallState;
  /** When the sweeper looks after it. */
  readonly nextAt: number | undefined;
  /** No round may reach beyond this; set by the first. */
  readonly deadline: number | undefined;
  readonly outcome: Outcome | undefined;
  readonly approval: Approval | undefined;
  readonly attempts: readonly Attempt[];
  readonly events: readonly Event[];
  readonly payloads: Payloads;
  /**
   * [TRUST 33] Of those who approved it, approved what it is a step of, or handed it over: who is frozen or disabled now,
   * and who did so in the place of somebody who is. They do not count.
   */
  readonly barredVoters?: readonly string[];
  /** What was found out about an unknown outcome, once it was. */
  readonly resolution?: Resolution;
  /** How many processes died while they ran this call, since it last made progress. Not given: none. */
  readonly deaths?: number;
  /** Why its segments keep failing. Nothing is tried until a person lets the call go on. */
  readonly stuck?: string;
}

export interface Session {
  readonly session?: string;
  readonly thread?: string;
}

/** One intent and how it ended; `ended` is missing while it runs, or when its process died. */
export interface Attempt {
  readonly number: number;
  readonly at: number;
  readonly deadline: number;
  /** The process that wrote the intent holds no connection any more. */
  readonly writerGone: boolean;
  readonly ended?: AttemptEnd;
}

/** `lost`: a later segment found it without an end. */
export type AttemptEnd = "succeeded" | "lost" | FaultKind;

/** What may be sensitive: kept apart from events, each with the salt of its commitment, erasable. */
export type Payloads = Readonly<Partial<Record<PayloadName, Payload>>>;

export const payloadNames = [
  "input",
  "preview",
  "purpose",
  /** What policy was asked: principal, evidence and environment, beside the input and the preview. */
  "request",
  "checks",
  "output",
  "error",
  "undo",
  "reason",
  /** How somebody found out what became of an unknown outcome: later than the receipt, and not in it. */
  "resolution",
  /** What a person answered, where the capability asks one. */
  "answer",
] as const;
export type PayloadName = (typeof payloadNames)[number];

export interface Payload {
  readonly salt: string;
  readonly value: Json;
}

/** What the call was last previewed as, if it was. */
export function lastPreview(call: Pick<Call, "payloads">): Preview | undefined {
  return call.payloads.preview?.value as unknown as Preview | undefined;
}

/** An attempt of which nobody can say that it had no effect. */
export function mayHaveActed(call: Pick<Call, "attempts">): boolean {
  return call.attempts.some(({ ended }) => ended === undefined || ended === "lost" || ended === "ambiguous");
}

/** A composite whose steps are being taken, wherever it waits meanwhile. */
export function hasBegun({ events }: Pick<Call, "events">): boolean {
  return events.some(({ kind }) => kind === "began");
}
