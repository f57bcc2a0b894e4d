import type { Approval } from "./approval.ts";
import type { Preview } from "./capability/capability.ts";
import { type FaultKind, faultKindRules } from "./capability/fault-kind.ts";
import { type Event, lastEvent } from "./event.ts";
import type { Json } from "./json.ts";
import type { Outcome } from "./outcome.ts";
import type { Guard } from "./policy/policy.ts";
import type { Principal } from "./principal.ts";
import type { Resolution } from "./receipts/resolution.ts";

/** Returns the input of a call, or null if the call contains no input. */
export function callInput(call: Call): Json {
  return call.payloads.input?.value ?? null;
}

/** The id of a call with its tenant. The pair is the key in the engine and in every table. */
export interface CallRef {
  readonly tenant: string;
  readonly call: string;
}

/**
 * The state of a call:
 * - `previewing`: its preview takes longer than the requester waits.
 * - `checking`: the checks that policy requires run.
 * - `asking`: a round is open.
 * - `ready`: the call can be performed.
 * - `queued`: the call waits for locks.
 * - `parked`: a freeze stopped the call before its intent.
 * - `offered`: the call is admitted and waits for the agent that performs it to claim it.
 * - `performing`: an intent is written.
 * - `composing`: the composite runs its steps.
 * - `delayed`: the call waits for a retry.
 * - `closed`: the call has an outcome.
 */
export type CallState = (typeof callStates)[number];
export const callStates = [
  "previewing",
  "checking",
  "asking",
  "ready",
  "queued",
  "parked",
  "offered",
  "performing",
  "composing",
  "delayed",
  "closed",
] as const;

/** The facts of a call that are fixed when it is opened and never change. */
export interface CallFacts extends CallRef {
  readonly principal: Principal;
  readonly key: string;
  readonly capability: string;
  readonly version: number;
  readonly contractDigest: string;
  /** The digest of the capability and of the input as received, before defaults are added. */
  readonly requestDigest: string;
  readonly session: Session;
  /** The W3C traceparent under which the call was requested. */
  readonly trace: string | undefined;
  readonly lockKeys: readonly string[];
  /** Guards that the requester demands for its own call. */
  readonly requirements: readonly Guard[];
  readonly createdAt: number;
  /**
   * [P6] The earlier call that this call replaces. A new call replaces a call that a person edited or whose contract
   * changed.
   */
  readonly supersedes?: string;
  readonly editedBy?: string;
  /** The composite that made this call, and the step of the composite that this call performs. */
  readonly parent?: Parent;
}

/** The composite that made a call. */
export interface Parent {
  readonly call: string;
  readonly step: string;
  /** The number of composites above this call. */
  readonly depth: number;
}

/** A step's call, as its composite sees it. */
export interface Child {
  readonly call: string;
  readonly step: string;
  readonly state: CallState;
  readonly capability: string;
  readonly requestDigest: string;
  readonly lockKeys: readonly string[];
  readonly supersedes?: string;
  readonly outcome?: Outcome;
  /** The time at which the call closed. It comes from the closing event, so that every reader gets the same time. */
  readonly closedAt?: number;
  readonly receipt?: string;
  readonly output?: Json;
  readonly undo?: Json;
  /** Whether the outputs and undos of all steps together are too large to load. If so, none of them is included. */
  readonly withheld?: true;
}

/**
 * The maximum total size, in bytes, of the step outputs and undos that are loaded for a composite. The store's SQL
 * contains the same number.
 */
export const maxStepBytes = 16 * 1024 * 1024;

/** All rows of a call. Every segment starts from them. */
export interface Call extends CallFacts {
  readonly epoch: number;
  readonly state: CallState;
  /** The time at which the sweeper picks the call up. */
  readonly nextAt: number | undefined;
  /** The latest time at which any round may expire. The first round sets it. */
  readonly deadline: number | undefined;
  readonly outcome: Outcome | undefined;
  readonly approval: Approval | undefined;
  readonly attempts: readonly Attempt[];
  readonly events: readonly Event[];
  readonly payloads: Payloads;
  /**
   * [TRUST 33] The voters whose votes or reassignments do not count, for this call or for the composite above it. Each
   * of them is frozen or disabled now, or acted in place of a person who is frozen or disabled.
   */
  readonly barredVoters?: readonly string[];
  /**
   * The time at which the database was last restored from a backup, if it ever was. A call that was accepted before may
   * have acted without a record.
   */
  readonly restoredAt?: number;
  /** The finding of a person or a probe about an unknown outcome. */
  readonly resolution?: Resolution;
  /**
   * The number of processes that died while they ran this call, counted since its last progress. Undefined means none.
   */
  readonly deaths?: number;
  /**
   * The error code with which the call's segments keep failing. While this field is set, Paraph runs no further
   * segment. A person must resume the call.
   */
  readonly stuck?: string;
}

/** The identifiers that an agent gives to calls that belong together. */
export interface Session {
  readonly session?: string;
  readonly thread?: string;
}

/**
 * An intent, and the end of its attempt. `ended` is missing while the attempt runs, or if the process died before it
 * recorded the end.
 */
export interface Attempt {
  readonly number: number;
  readonly at: number;
  readonly deadline: number;
  /** Whether the process that wrote the intent has lost its connection to the database. */
  readonly writerGone: boolean;
  readonly ended?: AttemptEnd;
}

/** The end of an attempt. `lost` means that a later segment found no recorded end for the attempt. */
export type AttemptEnd = "succeeded" | "lost" | FaultKind;

/**
 * The values of a call that may be sensitive. Paraph stores each value apart from the events, together with the salt of
 * its commitment, so that the value can be erased.
 */
export type Payloads = Readonly<Partial<Record<PayloadName, Payload>>>;

/** The names of all payloads. */
export const payloadNames = [
  "input",
  "preview",
  /** The line that says what the call does. Sensitive values are masked in it. */
  "headline",
  "purpose",
  /** The agent's own summary of its state, which its session gives back. Paraph never relies on it. */
  "compressedState",
  /** The requester's words, and what understood them as this plan. */
  "words",
  /**
   * The principal, the evidence and the environment that policy used for its ruling. The input and the preview are
   * separate payloads.
   */
  "request",
  "checks",
  "output",
  "error",
  "undo",
  "reason",
  /**
   * A person's explanation of how they determined an unknown outcome. It is written after the receipt, so the receipt
   * does not include it.
   */
  "resolution",
  /** The approver's answer, if the capability asks for one. */
  "answer",
] as const;

/** The name of a payload. */
export type PayloadName = (typeof payloadNames)[number];

/** One payload, with the salt of its commitment. */
export interface Payload {
  readonly salt: string;
  readonly value: Json;
}

/** Returns the last preview of a call, if it has one. */
export function lastPreview(call: Pick<Call, "payloads">): Preview | undefined {
  return call.payloads.preview?.value as unknown as Preview | undefined;
}

/** Returns whether an attempt of the call had an effect or may have had one. */
export function mayHaveActed(call: Pick<Call, "attempts">): boolean {
  return call.attempts.some(({ ended }) => {
    if (ended === undefined || ended === "lost") return true;
    return ended !== "succeeded" && faultKindRules[ended].mayHaveActed;
  });
}

/**
 * Returns whether the same request may succeed later although this call failed. A failed plan is not retryable, because
 * some of its steps may have acted.
 */
export function isRetryable({ outcome, attempts }: Pick<Call, "outcome" | "attempts">): boolean {
  const ended = attempts.at(-1)?.ended;
  return outcome?.kind === "failed" && ended !== undefined && ended !== "succeeded" && ended !== "permanent";
}

/**
 * [P7] Returns why a call whose effect did not happen can't be requested again, or undefined if it can. A plan can't,
 * because its steps that succeeded would run again.
 */
export function findRetryRefusal(
  call: Pick<Call, "events" | "payloads">,
): "not-retryable" | "call-erased" | undefined {
  if (hasBegun(call)) return "not-retryable";
  return call.payloads.input === undefined ? "call-erased" : undefined;
}

/**
 * Returns the correlation id of a call, if it has one: the trace id of its W3C traceparent. Calls of several agents and
 * sessions share it if their requests carry the same trace.
 */
export function correlationId({ trace }: Pick<Call, "trace">): string | undefined {
  return trace?.split("-")[1];
}

/** Returns whether a composite has begun to run its steps, whatever state it is in now. */
export function hasBegun({ events }: Pick<Call, "events">): boolean {
  return events.some(({ kind }) => kind === "began");
}

/** Returns the call that this one undoes, if it is an undo. */
export function findUndoneCall({ events }: Pick<Call, "events">): string | undefined {
  return lastEvent(events, "accepted")?.data.undoes;
}
