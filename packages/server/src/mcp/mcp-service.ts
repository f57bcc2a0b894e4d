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

/** The service behind MCP. `start-paraph.ts` passes it in. Every lookup takes the principal who reads. */
export interface McpService {
  requestCall(request: CallRequest): Promise<Admission>;
  findCall(principal: Principal, call: string): Promise<Call | undefined>;
  previewCall(request: CallRequest): Promise<Evaluated>;
  /**
   * Resolves when the call's epoch exceeds the given one, after `ms`, or when the signal aborts. Returns the call if it
   * is at hand.
   */
  waitForChange(
    principal: Principal,
    call: string,
    epoch: number,
    ms: number,
    signal?: AbortSignal,
  ): Promise<Call | undefined>;
  /** Returns the last progress message of a running attempt. The caller must already have found the call. */
  readProgress(
    call: CallRef,
  ): Promise<{ readonly said: { readonly message: string | null } | null } | undefined>;
  findReceipt(principal: Principal, call: string): Promise<ReceiptBundle | undefined>;
  undo(call: Call, asked: Pick<CallRequest, "principal" | "purpose">): Promise<Admission>;
  withdraw(given: { readonly call: string; readonly by: Principal }): Promise<Call>;
  /** Returns the capabilities, sorted by name. The list object stays the same until the capabilities change. */
  listCapabilities(reader: Principal): readonly OfferedCapability[];
  /**
   * Returns the capabilities that policy may allow this principal. The list object stays the same until policy or
   * capabilities change.
   */
  listAllowedCapabilities(principal: Principal): readonly OfferedCapability[];
  /** Returns the facades of MCP servers, by the name of their adapter. */
  getFacades(): Facades;
  /** Records that the requester has the results of these calls. */
  markDelivered(tenant: string, calls: readonly string[]): Promise<void>;
}

/** A capability as MCP offers it. */
export interface OfferedCapability {
  readonly contract: Contract;
  /** Why the capability cannot be used at present. */
  readonly unavailable?: { readonly code: string; readonly message: string };
}
