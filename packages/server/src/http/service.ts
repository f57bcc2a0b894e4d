import type {
  Admitted,
  Call,
  CallRequest,
  CallState,
  Contract,
  Decided,
  Decision,
  Guard,
  OutcomeKind,
  Principal,
  PublicKey,
  ReceiptBundle,
  RoundStatus,
} from "@paraph/core";

/** What the HTTP surface needs of the rest; `main.ts` hands it over. Every look-up is made as somebody. */
export interface Service {
  authenticate(key: string): Promise<Principal | undefined>;
  /** Admits a call and hands it to the engine. Throws core's ParaphError for what is not a call at all. */
  call(request: CallRequest): Promise<Admitted>;
  /** A call this principal may see: its own, or, for a person, any of the tenant. */
  find(principal: Principal, call: string): Promise<Call | undefined>;
  list(principal: Principal, filter: CallFilter): Promise<readonly CallSummary[]>;
  /** Resolves when the call has moved past this epoch (with it, if it is at hand), or after `ms`, or when the signal aborts. */
  changed(
    principal: Principal,
    call: string,
    epoch: number,
    ms: number,
    signal?: AbortSignal,
  ): Promise<Call | undefined>;
  /** People only. */
  approvals(principal: Principal, filter: ApprovalFilter): Promise<readonly ApprovalSummary[]>;
  findApproval(principal: Principal, approval: string): Promise<Call | undefined>;
  decide(decision: Decision): Promise<Decided>;
  receipt(principal: Principal, call: string): Promise<ReceiptBundle | undefined>;
  capabilities(): readonly { readonly contract: Contract; readonly contractDigest: string }[];
  keys(): readonly PublicKey[];
  /** Each part this process needs, and whether it answers. */
  health(): Promise<Readonly<Record<string, boolean>>>;
}

export interface CallFilter {
  readonly state?: "open" | "closed";
  readonly capability?: string;
  /** Calls older than this id. */
  readonly before?: string;
  readonly limit: number;
}

export interface CallSummary {
  readonly call: string;
  readonly capability: string;
  readonly version: number;
  readonly principal: string;
  readonly state: CallState;
  readonly outcome?: { readonly kind: OutcomeKind; readonly code: string };
  readonly createdAt: number;
  readonly closedAt?: number;
}

export interface ApprovalFilter {
  readonly status: RoundStatus;
  readonly before?: string;
  readonly limit: number;
}

export interface ApprovalSummary {
  readonly approval: string;
  readonly call: string;
  readonly round: number;
  readonly status: RoundStatus;
  readonly digest: string;
  readonly capability: string;
  readonly principal: string;
  readonly guards: readonly Guard[];
  readonly votes: number;
  readonly askedAt: number;
  readonly expiresAt: number;
}
