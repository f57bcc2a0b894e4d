import type {
  Admission,
  Call,
  CallRequest,
  ClaimResult,
  claimCall,
  Edit,
  Finding,
  Preview,
  Principal,
  ResolutionResult,
  reassign,
  reportResult,
  SuccessorResult,
} from "@paraph/core";

/** The actions on a call besides voting. Each action throws core's ParaphError if the principal may not take it. */
export interface CallActions {
  edit(edit: Edit): Promise<SuccessorResult>;
  reassign(given: Parameters<typeof reassign>[0]): Promise<Call>;
  withdraw(given: { readonly call: string; readonly by: Principal; readonly reason?: string }): Promise<Call>;
  resolve(given: {
    readonly call: string;
    readonly by: Principal;
    readonly finding: Finding;
    readonly reason: string;
  }): Promise<Call>;
  probe(given: {
    readonly call: string;
    readonly by: Principal;
  }): Promise<ResolutionResult & { readonly found: Finding | "unsure" }>;
  claim(given: Parameters<typeof claimCall>[0]): Promise<ClaimResult>;
  report(given: Parameters<typeof reportResult>[0]): Promise<Call>;
  /**
   * Requests the same call again as a new call, only if it is certain that the first had no effect. Lets a stuck call
   * continue.
   */
  retry(call: Call, by: Principal): Promise<Admission>;
  /**
   * Requests the call's undo as a call of the given principal. Repeating the request returns the same undo, unless that
   * undo had no effect. Throws `already-undone` if another principal's undo had an effect or is running.
   */
  undo(call: Call, asked: Pick<CallRequest, "principal" | "purpose" | "requirements">): Promise<Admission>;
  listMessages(call: Call, page: CallMessageFilter): Promise<readonly CallMessage[]>;
  /** Posts a message. A repeated `id` posts nothing new. Returns undefined if the id belongs to another message. */
  postMessage(call: Call, message: NewCallMessage): Promise<CallMessage | undefined>;
  /** Returns the current and future delegations of the reader's tenant. */
  listDelegations(reader: Principal): Promise<readonly DelegationRecord[]>;
  /** Returns undefined if one of the two principals is not a person of the tenant. */
  createDelegation(delegation: NewDelegation, by: Principal): Promise<DelegationRecord | undefined>;
  /** Returns false if the tenant has no delegation with this id. */
  endDelegation(id: string, by: Principal): Promise<boolean>;
  /** Returns the preview of the round before the call's newest round, if it had one. */
  findEarlierPreview(call: Call): Promise<Preview | undefined>;
}

/** The kinds of messages that people and agents can post about a call. */
export const messageKinds = ["comment", "question", "answer"] as const;
/** One of the message kinds. */
export type CallMessageKind = (typeof messageKinds)[number];

/** The page of a call's messages to read: at most `limit` messages, after the sequence number `after`. */
export interface CallMessageFilter {
  readonly after?: number;
  readonly limit: number;
}

/** A message about a call, as stored. */
export interface CallMessage {
  readonly id: string;
  readonly seq: number;
  readonly by: string;
  readonly kind: CallMessageKind;
  readonly at: number;
  /** Missing after the text was erased. */
  readonly text?: string;
}

/** A message to post. Its `id` is the author's idempotency key. */
export interface NewCallMessage {
  readonly id?: string;
  readonly by: Principal;
  readonly kind: CallMessageKind;
  readonly text: string;
}

/** A delegation to create: `standIn` may vote in place of `person` between `from` and `until`. */
export interface NewDelegation {
  readonly person: string;
  readonly standIn: string;
  readonly from: number;
  readonly until: number;
}

/** A delegation as stored, with the principal who created it. */
export interface DelegationRecord extends NewDelegation {
  readonly id: string;
  readonly by: string;
  readonly at: number;
}
