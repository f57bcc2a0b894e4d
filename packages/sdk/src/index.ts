// Entry point for the code of agents and services.
export {
  type PlanRequest,
  type PublicKey,
  type ReceiptBundle,
  type ToolChain,
  type VerifiedReceipt,
  verifyReceipt as verify,
} from "@paraph/core";
export type {
  CallEvent,
  CallProgress,
  CapabilityContract,
  CapabilitySummary,
  OutcomeFilter,
  OutcomeStatistics,
  PlanStep,
  PreviewResult,
} from "./api-views.ts";
export type { CallResult, Denied, Failed, Pending, Succeeded, Superseded } from "./call-result.ts";
export {
  type CallOptions,
  type ClaimedCall,
  createClient,
  type ExecutionReport,
  type ParaphClient,
  type PlanOutput,
  type PreviewRequest,
  type WaitOptions,
} from "./client.ts";
export {
  type Execution,
  type GovernedCapability,
  governCapability,
  NotPerformed,
} from "./govern-capability.ts";
export { ParaphProblem } from "./paraph-problem.ts";
