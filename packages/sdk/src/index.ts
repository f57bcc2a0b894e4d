// What an agent's or a service's code imports.
export {
  type PlanRequest,
  type PublicKey,
  type ReceiptBundle,
  type ToolChain,
  type VerifiedReceipt,
  verifyReceipt as verify,
} from "@paraph/core";
export {
  type CallOptions,
  type Client,
  createClient,
  type PlanOutput,
  type Report,
  type Taken,
  type WaitOptions,
  type Wanted,
} from "./client.ts";
export { type Execution, type Governed, governed, NotPerformed } from "./governed.ts";
export { ParaphProblem } from "./paraph-problem.ts";
export type { CallResult, Denied, Pending, Succeeded, Superseded } from "./result.ts";
export type {
  CallEvent,
  CallProgress,
  CapabilityContract,
  CapabilitySummary,
  Foreseen,
  StepView,
} from "./view.ts";
