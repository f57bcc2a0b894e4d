import type { CastVote, RoundStatus } from "./approval.ts";
import type { AttemptEnd, Parent, PayloadName } from "./call.ts";
import type { Tokens } from "./capability/capability.ts";
import type { Risk } from "./capability/contract.ts";
import type { JsonObject } from "./json.ts";
import type { OutcomeKind } from "./outcome.ts";
import type { CheckResult } from "./policy/check.ts";
import type { Vote } from "./policy/evidence.ts";
import type { Guard } from "./policy/policy.ts";
import type { BlockCode, HypotheticalRuling, Ruling } from "./policy/ruling.ts";
import type { Finding, Resolution } from "./receipts/resolution.ts";

/** The salted digests of the payloads that an event commits to, by payload name. */
export type Commitments = { readonly [Name in PayloadName]?: string };

/**
 * The data of each kind of event, without its seal. It holds ids, numbers, codes and commitments only, because events
 * are never erased.
 */
export interface EventFacts {
  readonly accepted: {
    readonly capability: string;
    readonly version: number;
    readonly principal: string;
    readonly onBehalfOf?: string;
    /** The commitment to the fields of the call that no event states in plain text. */
    readonly facts?: string;
    /** The call that this one undoes. */
    readonly undoes?: string;
    /** Links to calls that were accepted earlier. */
    readonly follows?: readonly string[];
    readonly parent?: Parent;
    readonly supersedes?: string;
    readonly deadline?: number;
    readonly editedBy?: string;
    readonly editors?: readonly string[];
    /** The groups of the last editor. */
    readonly editorGroups?: readonly string[];
    readonly input: string;
  };
  readonly ruled: {
    readonly ruling: Ruling["kind"];
    readonly policies: readonly string[];
    readonly version: string;
    readonly sentence?: string;
    readonly code?: BlockCode;
    readonly grant?: string;
    readonly observed?: HypotheticalRuling;
    readonly shadow?: HypotheticalRuling;
    readonly request: string;
  };
  readonly checked: {
    readonly results: readonly Pick<CheckResult, "check" | "passed" | "score" | "error">[];
    readonly checks: string;
  };
  readonly asked: {
    readonly approval: string;
    readonly round: number;
    readonly digest: string;
    readonly expiresAt: number;
    readonly guards: readonly Guard[];
    readonly preview?: string;
    /** For a composite, the number of steps per risk. */
    readonly steps?: { readonly [R in Risk]?: number };
  };
  readonly voted: Pick<Vote, "by" | "decision" | "as" | "groups"> &
    Commitments & {
      readonly round: number;
      readonly digest: string;
      /** The people whom the voter represents. Only people whose groups the vote needs are listed. */
      readonly inPlaceOf?: readonly string[];
      /** The steps that the voter leaves out of the approval. */
      readonly declined?: readonly string[];
      readonly answerDigest?: string;
    };
  readonly "round-closed": {
    readonly round: number;
    readonly status: Exclude<RoundStatus, "open">;
    readonly digest?: string;
    readonly code?: string;
  };
  readonly queued: { readonly keys: number; readonly position: number };
  readonly locked: { readonly keys: number };
  readonly offered: { readonly until: number };
  readonly "approval-inherited": {
    /** The composite whose approval covers this step. */
    readonly by: string;
    readonly round: number;
    readonly approval: string;
    readonly digest: string;
    readonly votes: readonly (CastVote & { readonly inPlaceOf?: readonly string[] })[];
  };
  readonly began: Commitments & {
    readonly policies?: readonly string[];
    readonly version?: string;
    readonly declined?: readonly string[];
    /** Whether the composite continued after a thaw. */
    readonly again?: true;
  };
  readonly stepped: {
    readonly step: string;
    readonly call: string;
    readonly outcome: OutcomeKind;
    readonly code: string;
  };
  readonly intended: Commitments & {
    readonly attempt: number;
    readonly deadline: number;
    /** `again` marks a repeated attempt. Policy does not rule on repeated attempts. */
    readonly ruling?: "again";
    readonly policies?: readonly string[];
    readonly version?: string;
    readonly grant?: string;
    /** Whether the intent reserved money or a place under a concurrency limit. */
    readonly reserved?: true;
    readonly performer?: "agent";
    readonly claimToken?: string;
  };
  readonly attempted: {
    readonly attempt: number;
    readonly as: AttemptEnd;
    readonly code: string;
    readonly ms: number;
    readonly unrecognised?: true;
  };
  readonly delayed: {
    readonly waitMs: number;
    readonly retry?: number;
    readonly probe?: number;
    readonly limit?: string;
  };
  readonly "segment-failed": {
    readonly code: string;
    readonly failures: number;
    readonly waitMs?: number;
    readonly stuck?: true;
    readonly freed?: true;
  };
  readonly resumed: { readonly by: string };
  readonly parked: { readonly freeze: string };
  readonly withdrawn: Commitments & { readonly by: string };
  readonly reminded: { readonly round: number };
  readonly escalated: { readonly round: number; readonly group: string };
  readonly reassigned: {
    readonly round: number;
    readonly by: string;
    readonly to: string;
    readonly groups?: readonly string[];
    readonly inPlaceOf?: readonly string[];
  };
  readonly revealed: { readonly by: string; readonly paths: readonly string[] };
  readonly commented: { readonly message: string; readonly by: string; readonly as: string };
  readonly closed: Commitments &
    ClosedDetails & {
      readonly outcome: OutcomeKind;
      readonly code: string;
      readonly ms: number;
      readonly tokens?: Tokens;
    };
  readonly resolved: {
    readonly finding: Finding;
    readonly by: string;
    readonly how: Resolution["how"];
    readonly statement: string;
    readonly reason?: string;
  };
}

/** Details of why a call ended, as ids and numbers. */
export type ClosedDetails = {
  readonly successor?: string;
  readonly editedBy?: string;
  readonly limit?: string;
  readonly deaths?: number;
  /**
   * The kind of the event, or the name of the row or payload, that no valid seal confirms. `seq` is the number of the
   * event.
   */
  readonly entry?: string;
  readonly seq?: number;
};

/** The kind of an event. */
export type EventKind = keyof EventFacts;

/** The kinds of events on which a later effect depends. Only a process that holds the sealing key can write them. */
export const sealedKinds = [
  "accepted",
  "checked",
  "asked",
  "voted",
  "escalated",
  "reassigned",
  "approval-inherited",
  "began",
  "intended",
] as const satisfies readonly EventKind[];
/** A kind of event that carries a seal. */
export type SealedKind = (typeof sealedKinds)[number];

/** The data of one kind of event, with its seal if the kind has one. */
export type EventData<Kind extends EventKind> = Kind extends SealedKind
  ? EventFacts[Kind] & { readonly seal: string }
  : EventFacts[Kind];

/** An event before it is sealed. Only an event whose kind has no seal can be written in this form. */
export type UnsealedEvent<Kind extends EventKind = EventKind> = {
  [K in Kind]: { readonly kind: K; readonly at: number; readonly data: EventFacts[K] };
}[Kind];

/** An event that is ready to be written. An event of a sealed kind without its seal does not compile. */
export type NewEvent<Kind extends EventKind = EventKind> = {
  [K in Kind]: { readonly kind: K; readonly at: number; readonly data: EventData<K> };
}[Kind];

/** One recorded fact about a call. */
export type Event<Kind extends EventKind = EventKind> = {
  [K in Kind]: { readonly seq: number; readonly kind: K; readonly at: number; readonly data: EventData<K> };
}[Kind];

/** An event as it is read from a receipt, the API or the database. Its data is not validated. */
export interface RecordedEvent {
  readonly seq: number;
  readonly kind: EventKind;
  readonly at: number;
  readonly data: JsonObject;
}

/** Returns the events as data, for readers that do not trust their content. */
export function toRecorded(events: readonly Event[]): readonly RecordedEvent[] {
  return events as unknown as readonly RecordedEvent[];
}

/** Returns the events of one kind, in order. */
export function eventsOfKind<Kind extends EventKind>(
  events: readonly Event[],
  kind: Kind,
): readonly Event<Kind>[] {
  return events.filter((event) => event.kind === kind) as readonly Event[] as readonly Event<Kind>[];
}

/** Returns the last event of one kind. */
export function lastEvent<Kind extends EventKind>(
  events: readonly Event[],
  kind: Kind,
): Event<Kind> | undefined {
  return events.findLast((event) => event.kind === kind) as Event | undefined as Event<Kind> | undefined;
}

/** Returns the public name of an event, which is the `type` of its CloudEvent. */
export function cloudEventType(event: Event | RecordedEvent): string {
  return `dev.paraph.call.${event.kind === "closed" ? String(event.data.outcome) : event.kind}.v1`;
}
