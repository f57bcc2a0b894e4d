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

/** What people and agents do about a call besides deciding. Each throws core's ParaphError where it may not be done. */
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
  /** The same request once more, as a call of its own: only where it is known that nothing happened. */
  retry(call: Call, by: Principal): Promise<Admission>;
  /**
   * What the call offers as its way back, as a call of the principal who asks for it. Asked twice, it is one, unless the first
   * came to nothing. Throws `already-undone` where another principal's undo had an effect, or is under way.
   */
  undo(call: Call, asked: Pick<CallRequest, "principal" | "purpose" | "requirements">): Promise<Admission>;
  listMessages(call: Call, page: CallMessageFilter): Promise<readonly CallMessage[]>;
  /** `id`: sent twice, it is said once. Undefined: the id is another message's. */
  postMessage(call: Call, message: NewCallMessage): Promise<CallMessage | undefined>;
  /** Those in force or still to come in the reader's tenant. */
  listDelegations(reader: Principal): Promise<readonly DelegationRecord[]>;
  /** Undefined: one of the two is not a person here. */
  createDelegation(delegation: NewDelegation, by: Principal): Promise<DelegationRecord | undefined>;
  /** False: there is none of this name. */
  endDelegation(id: string, by: Principal): Promise<boolean>;
  /** What the round before this call's newest was shown as, if it had a preview. */
  findEarlierPreview(call: Call): Promise<Preview | undefined>;
}

export const messageKinds = ["comment", "question", "answer"] as const;
export type CallMessageKind = (typeof messageKinds)[number];

export interface CallMessageFilter {
  readonly after?: number;
  readonly limit: number;
}

export interface CallMessage {
  readonly id: string;
  readonly seq: number;
  readonly by: string;
  readonly kind: CallMessageKind;
  readonly at: number;
  /** Missing once it was erased. */
  readonly text?: string;
}

export interface NewCallMessage {
  readonly id?: string;
  readonly by: Principal;
  readonly kind: CallMessageKind;
  readonly text: string;
}

export interface NewDelegation {
  readonly person: string;
  readonly standIn: string;
  readonly from: number;
  readonly until: number;
}

export interface DelegationRecord extends NewDelegation {
  readonly id: string;
  readonly by: string;
  readonly at: number;
}
