import type {
  Admission,
  Call,
  CallRef,
  CallRequest,
  Contract,
  Evaluated,
  Facades,
  Principal,
  ReceiptBundle,
} from "@paraph/core";

/** What the MCP surface needs of the rest; `start.ts` hands it over. Every look-up is made as somebody. */
export interface McpService {
  requestCall(request: CallRequest): Promise<Admission>;
  findCall(principal: Principal, call: string): Promise<Call | undefined>;
  previewCall(request: CallRequest): Promise<Evaluated>;
  /** Resolves when the call has moved past this epoch (with it, if it is at hand), or after `ms`, or when the signal aborts. */
  waitForChange(
    principal: Principal,
    call: string,
    epoch: number,
    ms: number,
    signal?: AbortSignal,
  ): Promise<Call | undefined>;
  /** What a call's attempt said last, while it lasts. For who has found the call. */
  readProgress(
    call: CallRef,
  ): Promise<{ readonly said: { readonly message: string | null } | null } | undefined>;
  findReceipt(principal: Principal, call: string): Promise<ReceiptBundle | undefined>;
  undo(call: Call, asked: Pick<CallRequest, "principal" | "purpose">): Promise<Admission>;
  withdraw(given: { readonly call: string; readonly by: Principal }): Promise<Call>;
  /** By name; the same list until there is another. */
  listCapabilities(reader: Principal): readonly OfferedCapability[];
  /** Without those that policy can never allow this principal; the same list until policy or capabilities change. */
  listAllowedCapabilities(principal: Principal): readonly OfferedCapability[];
  /** What MCP servers call their own, by the name of their adapter. */
  getFacades(): Facades;
  /** Whoever asked for these has got their results. */
  markDelivered(tenant: string, calls: readonly string[]): Promise<void>;
}

export interface OfferedCapability {
  readonly contract: Contract;
  /** Why it cannot be used for now. */
  readonly unavailable?: { readonly code: string; readonly message: string };
}
