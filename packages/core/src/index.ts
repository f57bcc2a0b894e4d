export { type Approval, approvalDigest, type RoundStatus, voterRole } from "./approval.ts";
export {
  type Attempt,
  type Call,
  type CallRef,
  type CallState,
  type Child,
  callStates,
  findRetryRefusal,
  findUndoneCall,
  hasBegun,
  lastPreview,
  type Parent,
  type Payload,
  type PayloadName,
  type Payloads,
  payloadNames,
  type Session,
} from "./call.ts";
export {
  type Caller,
  hasCapabilityScope,
  hasScope,
  isScope,
  matchesNamePattern,
  type Scope,
} from "./caller.ts";
export {
  type Adapter,
  type AdapterContext,
  type AdapterFiles,
  type AdapterFilesContext,
  type AdapterOptions,
  type AdapterScope,
  adapterInterfaceVersion,
  defineAdapter,
  type Facade,
  type FacadePrompt,
  type FacadeResource,
  type Facades,
  type FacadeTemplate,
  type FacadeTool,
  type Health,
  type Observation,
  type ObservationPage,
  type ObserveContext,
  type OpenAdapter,
} from "./capability/adapter.ts";
export { maxTimeoutMs } from "./capability/build-contract.ts";
export {
  type Capability,
  type CapabilityDefinition,
  type Change,
  defineCapability,
  type ExecutionContext,
  type Parsed,
  type PerformedByParaph,
  type Preview,
  type Probe,
  type Progress,
  type StepPreview,
  type Tokens,
  type Unavailability,
  type Undo,
} from "./capability/capability.ts";
export { Catalog, type IsOpenTo } from "./capability/catalog.ts";
export { documentIncompatibilities, incompatibilities } from "./capability/compatibility.ts";
export {
  type Composer,
  type PlannedStep,
  StepFailed,
  type Visibility,
} from "./capability/composite.ts";
export {
  adapterName,
  type Contract,
  type Effect,
  effects,
  type Idempotency,
  type Risk,
  risks,
} from "./capability/contract.ts";
export { CapabilityError, type Fault, toAttemptFault, toFault } from "./capability/fault.ts";
export { countsAsNotBegun, type FaultKind, faultKinds } from "./capability/fault-kind.ts";
export { type FoundObject, foundObjects } from "./capability/found-object.ts";
export { jsonSchema } from "./capability/json-schema/json-schema.ts";
export { pathText, type SchemaFault, schemaFaults } from "./capability/schema-faults.ts";
export { createUnavailableCapability } from "./capability/unavailable-capability.ts";
export { rejectConfigFaults } from "./config/config-faults.ts";
export { type Duration, isDuration, milliseconds } from "./config/duration.ts";
export { type ConfigSource, findLine } from "./config/find-line.ts";
export { findNearest } from "./config/find-nearest.ts";
export { findErasure } from "./erasure.ts";
export {
  cloudEventType,
  type Event,
  type EventFacts,
  type EventKind,
  eventsOfKind,
  lastEvent,
  type NewEvent,
  type RecordedEvent,
  toRecorded,
} from "./event.ts";
export { adminAdapter, type Freeze, type FreezeKind, freezeKinds } from "./freeze.ts";
export { type Bound, type Bounds, type Grant, isWithinBounds } from "./grant.ts";
export { contractHeadline, lastHeadline, shorten } from "./headline.ts";
export { isJsonObject, type Json, type JsonObject } from "./json.ts";
export type { Limit, Usage } from "./limit.ts";
export {
  hasHiddenStep,
  mapPayloads,
  maskSensitive,
  maskText,
  type StepVisibility,
  type VisiblePayloads,
} from "./masking/payload-masker.ts";
export { type Outcome, type OutcomeKind, outcomeKinds } from "./outcome.ts";
export { type OutcomeCode, type OutcomeCodeType, outcomeCodes } from "./outcome-codes/outcome-codes.ts";
export { explainNewRound, explainVoidRound, findVoidCode } from "./outcome-codes/void-round.ts";
export { ParaphError, type ParaphErrorCode } from "./paraph-error.ts";
export { type Admission, admit } from "./pipeline/admission/admit.ts";
export { afterDenials } from "./pipeline/admission/ask-throttle.ts";
export { draftEdit, type Edit, edit, type SuccessorResult } from "./pipeline/admission/edit.ts";
export type { Evaluated } from "./pipeline/admission/evaluate.ts";
export { previewOnly } from "./pipeline/admission/preview-only.ts";
export { ruleAgain } from "./pipeline/admission/rule-again.ts";
export { type AdvanceResult, advance, continueCall } from "./pipeline/advance.ts";
export { type ClaimResult, claimCall } from "./pipeline/agent/claim.ts";
export { type Report, reportResult } from "./pipeline/agent/report.ts";
export { acknowledge } from "./pipeline/approval/acknowledge.ts";
export {
  type Decision,
  type DecisionResult,
  decide,
  findPasskeySubject,
  requireOpenRound,
} from "./pipeline/approval/decide.ts";
export {
  type ApproverSelection,
  filterEligible,
  isRoundOpen,
  type PossibleApprover,
  selectApprovers,
} from "./pipeline/approval/eligible-people.ts";
export { needsPasskey, passkeyError } from "./pipeline/approval/passkey-vote.ts";
export { reassign, recordReveal } from "./pipeline/approval/reassign.ts";
export {
  type Delegation,
  type OpenQuestion as HeardQuestion,
  toOpenQuestion,
  type VoteEligibility,
  voteEligibility,
} from "./pipeline/approval/vote-eligibility.ts";
export { withdrawCall } from "./pipeline/approval/withdraw.ts";
export { tokensUsed } from "./pipeline/attempt/attempt-events.ts";
export { latestChildren } from "./pipeline/composite/child-end.ts";
export { offerEndsAt } from "./pipeline/execution/offer.ts";
export { probeAgain, type ResolutionResult, resolveUnknown } from "./pipeline/execution/resolve.ts";
export { resumeStuck } from "./pipeline/execution/resume.ts";
export { listDeclinedSteps } from "./pipeline/round.ts";
export { type CallRequest, digestRequest } from "./pipeline/ruling/draft.ts";
export { findNotUndone, type NotUndone, notUndoneReasons } from "./plan/not-undone.ts";
export { planApplyCapability } from "./plan/plan-capability.ts";
export { type PlanDocument, type PlanRequest, planDocument, toPlannedSteps } from "./plan/plan-document.ts";
export { readPlan } from "./plan/read-plan.ts";
export { type ToolChain, toolChain } from "./plan/tool-chain.ts";
export { compensationStep, planCapability } from "./plan/undo-plan.ts";
export { hasInputScope, listUsedCapabilities } from "./plan/used-capabilities.ts";
export {
  type Checked,
  type CheckInput,
  type CheckResult,
  checkInput,
  checkResult,
} from "./policy/check.ts";
export { conflictedPrincipals, type Evidence, type Vote } from "./policy/evidence.ts";
export {
  type Environment,
  type Evaluation,
  type Guard,
  type GuardKind,
  guardKinds,
  type Policy,
  type PolicySet,
  type ProofKind,
  proofKinds,
  type Question,
  type Urgency,
  urgencies,
} from "./policy/policy.ts";
export { answerGuard, type Requirements } from "./policy/requirements.ts";
export { rule } from "./policy/rule.ts";
export {
  type Allow,
  type Ask,
  type Block,
  type Check,
  type Enforcement,
  enforceAll,
  type HypotheticalRuling,
  type Ruling,
  type RulingKind,
  rulingKinds,
  type Subject,
} from "./policy/ruling.ts";
export type {
  Clock,
  Credentials,
  Engine,
  Freezes,
  Measurement,
  Ports,
  Random,
  Signer,
  SpanAttributes,
  Telemetry,
} from "./ports.ts";
export { type Principal, principalIdPatterns, roles, seesEverything } from "./principal.ts";
export * from "./receipts/index.ts";
export type { RebuiltCall, ReplayedEvent } from "./replay/rebuilt-call.ts";
export { replayCall, replaySteps } from "./replay/replay.ts";
export {
  costPath,
  type DeclaredPaths,
  lockTemplate,
  readDeclaredCost,
  readDeclaredLocks,
} from "./serving/declared-paths.ts";
export {
  isPlainJson,
  maxMessageBytes,
  openMessage,
  type ServingMessage,
  sealMessage,
} from "./serving/message.ts";
export {
  type ServedEffect,
  type ServingAnswer,
  type ServingCall,
  type ServingOperation,
  type ServingRequest,
  servingAnswer,
  servingOperations,
  servingRequest,
} from "./serving/protocol.ts";
export { digestServedContract, digestService, type ServedContract } from "./serving/served-contract.ts";
export { parsePublicKey, parseSigningKey } from "./serving/signing-key.ts";
export * from "./session/index.ts";
export type { EscalationStep, Settings } from "./settings.ts";
export type {
  CommitResult,
  FencedTransition,
  Gate,
  GateRejection,
  LockRequest,
  LockResult,
  NewApproval,
  NewCall,
  NewPayload,
  NewReceipt,
  NewResolution,
  NewStatement,
  OpenResult,
  Store,
  Wake,
} from "./store.ts";
