// What an agent's or a service's code imports.
export { type PublicKey, type ReceiptBundle, type Verified, verifyReceipt as verify } from "@paraph/core";
export { type CallOptions, type Client, createClient, type WaitOptions } from "./client.ts";
export { ParaphProblem } from "./paraph-problem.ts";
export type { CallResult, Denied, Pending, Succeeded, Superseded } from "./result.ts";
export type { CallEvent, CapabilityContract, CapabilitySummary } from "./view.ts";
