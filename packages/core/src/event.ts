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
  /** Paraph accepted the request and stored the call. */
  readonly accepted: {
    /** The name of the capability. */
    readonly capability: string;
    /** The version of the capability's contract. */
    readonly version: number;
    /** The requester. */
    readonly principal: string;
    /** The person that the requester acts for. */
    readonly onBehalfOf?: string;
    /** The commitment to the fields of the call that no event states in plain text. */
    readonly facts?: string;
    /** The call that this one undoes. */
    readonly undoes?: string;
    /** Links to calls that were accepted earlier. */
    readonly follows?: readonly string[];
    /** The composite or plan that made this call, and its step. */
    readonly parent?: Parent;
    /** The earlier call that this one replaces. */
    readonly supersedes?: string;
    /** The time at which the last round may expire, taken from the replaced call. */
    readonly deadline?: number;
    /** The last editor of the input. */
    readonly editedBy?: string;
    /** Everyone who edited the input, in the replaced calls too. */
    readonly editors?: readonly string[];
    /** The groups of the last editor. */
    readonly editorGroups?: readonly string[];
    /**
     * For a step of a composite that was accepted before the database was restored: the earliest time at which the step
     * may have acted without a record.
     */
    readonly doubtSince?: number;
    /** The commitment to the input. */
    readonly input: string;
  };
  /** Policy ruled on the call. A call has one such event for each ruling. */
  readonly ruled: {
    /** The kind of the ruling. */
    readonly ruling: Ruling["kind"];
    /** The ids of the policies that determined the ruling. */
    readonly policies: readonly string[];
    /** The digest of the policy set. */
    readonly version: string;
    /** The sentence of the policy for people. */
    readonly sentence?: string;
    /** The reason of a `block`. */
    readonly code?: BlockCode;
    /** The grant that replaces votes. */
    readonly grant?: string;
    /** In observe mode, the ruling that enforcement would have made. */
    readonly observed?: HypotheticalRuling;
    /** The ruling with the shadow policies in force, if it differs. */
    readonly shadow?: HypotheticalRuling;
    /** The commitment to what policy saw: the principal, the evidence and the environment. */
    readonly request: string;
  };
  /** The checks that policy requires ran. */
  readonly checked: {
    /** The result of each check, without its findings. */
    readonly results: readonly Pick<CheckResult, "check" | "passed" | "score" | "error">[];
    /** The commitment to the findings. */
    readonly checks: string;
  };
  /** Paraph asked approvers, in a new round. */
  readonly asked: {
    /** The id of the approval. */
    readonly approval: string;
    /** The number of the round. */
    readonly round: number;
    /** The digest of the content that votes approve. */
    readonly digest: string;
    /** The time at which the round expires. */
    readonly expiresAt: number;
    /** The guards that the votes must satisfy, with quorum, urgency, group and proof. */
    readonly guards: readonly Guard[];
    /** The commitment to the preview. */
    readonly preview?: string;
    /** The commitment to the headline, which the digest covers. */
    readonly headline?: string;
    /** For a composite, the number of steps per risk. */
    readonly steps?: { readonly [R in Risk]?: number };
  };
  /** A person voted. */
  readonly voted: Pick<Vote, "by" | "decision" | "as" | "groups" | "proof"> &
    Commitments & {
      /** The number of the round. */
      readonly round: number;
      /** The digest that the vote approves or denies. */
      readonly digest: string;
      /** The people whom the voter represents. Only people whose groups the vote needs are listed. */
      readonly inPlaceOf?: readonly string[];
      /** The steps that the voter leaves out of the approval. */
      readonly declined?: readonly string[];
      /** The digest of the voter's answer, if the capability asks for one. */
      readonly answerDigest?: string;
      /** `mail` if the vote came as a reply to a mail, `slack` if it came from a dialog in Slack. */
      readonly via?: "mail" | "slack";
    };
  /** A round ended. */
  readonly "round-closed": {
    /** The number of the round. */
    readonly round: number;
    /** The final status of the round. */
    readonly status: Exclude<RoundStatus, "open">;
    /** The digest on which people voted. */
    readonly digest?: string;
    /** The reason why the round is void. */
    readonly code?: string;
  };
  /** The call waits for locks. */
  readonly queued: {
    /** The number of locks that the call needs. */
    readonly keys: number;
    /** The position of the call in the queue. Lower numbers come first. */
    readonly position: number;
  };
  /** The call holds its locks. */
  readonly locked: {
    /** The number of locks. */
    readonly keys: number;
  };
  /** Paraph offered the call to the agent that performs it. */
  readonly offered: {
    /** The time until which the agent may claim the call. */
    readonly until: number;
  };
  /** The approval of a composite or plan covers this step. */
  readonly "approval-inherited": {
    /** The composite whose approval covers this step. */
    readonly by: string;
    /** The number of the composite's round. */
    readonly round: number;
    /** The id of the composite's approval. */
    readonly approval: string;
    /** The digest that the votes approved. */
    readonly digest: string;
    /** The votes that approved the composite. */
    readonly votes: readonly InheritedVote[];
  };
  /** A composite or plan began to run its steps. */
  readonly began: Commitments & {
    /** The ids of the policies that allowed the composite. */
    readonly policies?: readonly string[];
    /** The digest of the policy set. */
    readonly version?: string;
    /** The steps that approvers left out. */
    readonly declined?: readonly string[];
    /** Whether the composite continued after a thaw. */
    readonly again?: true;
  };
  /** A step of a composite or plan ended. */
  readonly stepped: {
    /** The id of the step. */
    readonly step: string;
    /** The call of the step. */
    readonly call: string;
    /** The outcome of the step's call. */
    readonly outcome: OutcomeKind;
    /** The reason for the outcome. */
    readonly code: string;
  };
  /** An attempt is about to act. Paraph writes this event before any effect. */
  readonly intended: Commitments & {
    /** The number of the attempt. */
    readonly attempt: number;
    /** The time at which the attempt must have ended. */
    readonly deadline: number;
    /** `again` marks a repeated attempt. Policy does not rule on repeated attempts. */
    readonly ruling?: "again";
    /** The ids of the policies that allowed the attempt. */
    readonly policies?: readonly string[];
    /** The digest of the policy set. */
    readonly version?: string;
    /** The grant that the attempt spends. */
    readonly grant?: string;
    /** Whether the intent reserved money or a place under a concurrency limit. */
    readonly reserved?: true;
    /** `agent` if the requester performs the call itself. */
    readonly performer?: "agent";
    /** The token with which the agent claimed the call. */
    readonly claimToken?: string;
  };
  /** An attempt ended. */
  readonly attempted: {
    /** The number of the attempt. */
    readonly attempt: number;
    /** The end of the attempt: `succeeded`, `lost` if no process recorded its end, or the kind of fault. */
    readonly as: AttemptEnd;
    /** The reason. */
    readonly code: string;
    /** The duration of the attempt in milliseconds. */
    readonly ms: number;
    /** Whether neither the capability nor Paraph knows the error. */
    readonly unrecognised?: true;
  };
  /** The call waits before Paraph tries again. */
  readonly delayed: {
    /** The length of the wait in milliseconds. */
    readonly waitMs: number;
    /** The number of the retry, if an attempt is repeated. */
    readonly retry?: number;
    /** The number of the probe, if a probe is repeated. */
    readonly probe?: number;
    /** The name of the limit, if the call waits for a place under it. */
    readonly limit?: string;
  };
  /** Paraph failed to run the call, for a reason outside of the capability. */
  readonly "segment-failed": {
    /** The code of the error. */
    readonly code: string;
    /** The number of failures in a row. */
    readonly failures: number;
    /** The time until the next try in milliseconds. */
    readonly waitMs?: number;
    /** Whether the call is stuck: Paraph tries again only after `paraph retry`. */
    readonly stuck?: true;
    /** Whether the stuck call released its locks. */
    readonly freed?: true;
  };
  /** A person resumed a stuck call. */
  readonly resumed: {
    /** The person. */
    readonly by: string;
  };
  /** A freeze stopped the call before its intent. The call waits for a thaw. */
  readonly parked: {
    /** The id of the freeze. */
    readonly freeze: string;
  };
  /** A person or the requester withdrew the call before it acted. */
  readonly withdrawn: Commitments & {
    /** The principal that withdrew the call. */
    readonly by: string;
  };
  /** Paraph reminded the approvers of an open round. */
  readonly reminded: {
    /** The number of the round. */
    readonly round: number;
  };
  /** Paraph also asked another group, because no approver decided in time. */
  readonly escalated: {
    /** The number of the round. */
    readonly round: number;
    /** The group that Paraph also asked. */
    readonly group: string;
  };
  /** A person reassigned their vote to another person. */
  readonly reassigned: {
    /** The number of the round. */
    readonly round: number;
    /** The person who reassigned the vote. */
    readonly by: string;
    /** The person who may vote instead. */
    readonly to: string;
    /** The groups that the other person's vote also counts for. */
    readonly groups?: readonly string[];
    /** The people whom the person who reassigned the vote represented. */
    readonly inPlaceOf?: readonly string[];
  };
  /** An approver looks at the request. Paraph delays the next reminder or escalation until `until`. */
  readonly acknowledged: {
    /** The number of the round. */
    readonly round: number;
    /** The approver. */
    readonly by: string;
    /** The time until which Paraph neither reminds nor escalates. */
    readonly until: number;
  };
  /** An approver viewed sensitive values. */
  readonly revealed: {
    /** The approver. */
    readonly by: string;
    /** The paths of the values. */
    readonly paths: readonly string[];
  };
  /** A person or the requester posted a message about the call. */
  readonly commented: {
    /** The id of the message. */
    readonly message: string;
    /** The author. */
    readonly by: string;
    /** The kind of message: a comment, a question or an answer. */
    readonly as: string;
  };
  /** The call ended. This is the last event of the receipt. */
  readonly closed: Commitments &
    ClosedDetails & {
      /** The outcome of the call. */
      readonly outcome: OutcomeKind;
      /** The reason for the outcome. */
      readonly code: string;
      /** The total duration of the attempts in milliseconds. For a composite, the time since it began. */
      readonly ms: number;
      /** The language model tokens that the call used, if the capability reports them. */
      readonly tokens?: Tokens;
    };
  /** A person or a probe found out whether a call with an unknown outcome took effect. */
  readonly resolved: {
    /** Whether the effect happened. */
    readonly finding: Finding;
    /** The principal that resolved the call or asked for the probe. */
    readonly by: string;
    /** The source of the finding. */
    readonly how: Resolution["how"];
    /** The digest of the signed resolution. */
    readonly statement: string;
    /** The commitment to the explanation. */
    readonly reason?: string;
  };
  /** An operator erased the payloads of a closed call. The commitments to them stay. */
  readonly erased: {
    /** The database login of the operator. */
    readonly by: string;
    /** The reason that the operator gave, in plain text. */
    readonly reason: string;
    /** The names of the erased payloads. */
    readonly payloads: readonly PayloadName[];
    /** The number of messages whose text was erased. */
    readonly messages: number;
  };
}

/** A vote on a composite or plan, as a step inherits it. */
interface InheritedVote extends CastVote {
  readonly inPlaceOf?: readonly string[];
  /** The steps that the voter left out. Only a vote with a passkey has them, because its assertion covers them. */
  readonly declined?: readonly string[];
}

/** Details of why a call ended, as ids and numbers. */
export type ClosedDetails = {
  /** The call that replaces this one. */
  readonly successor?: string;
  /** The person who edited the input and so replaced the call. */
  readonly editedBy?: string;
  /** The name of the limit that refused the call. */
  readonly limit?: string;
  /** The number of processes that died while they ran the call. */
  readonly deaths?: number;
  /** The kind of the event, or the name of the row or payload, that no valid seal confirms. */
  readonly entry?: string;
  /** The number of the event that no valid seal confirms. */
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
