export {
  type Adapter,
  type AdapterOptions,
  type AdapterScope,
  type AdapterSetting,
  defineAdapter,
  type Eyes,
  type Facade,
  type FacadePrompt,
  type FacadeResource,
  type Facades,
  type FacadeTemplate,
  type FacadeTool,
  type Health,
  type Observation,
  type OpenAdapter,
  type Perceived,
} from "./adapter.ts";
export { type Approval, approvalDigest, type CastVote, type RoundStatus, standing } from "./approval.ts";
export { awayCapability } from "./away.ts";
export {
  type Attempt,
  type Call,
  type CallRef,
  type CallState,
  type Child,
  hasBegun,
  type Parent,
  type Payload,
  type PayloadName,
  type Payloads,
  previewOf,
  type Session,
} from "./call.ts";
export { CallLinks, linkTo } from "./call-links.ts";
export { type Caller, isScope, reaches, reachesCapability, type Scope } from "./caller.ts";
export {
  type Away,
  type Capability,
  type CapabilityDefinition,
  type Change,
  defineCapability,
  type Parsed,
  type PerformedByParaph,
  type Preview,
  type Probe,
  type Progress,
  type StepPreview,
  type Tokens,
  type Undo,
  type World,
} from "./capability.ts";
export { Catalog, type IsOpenTo } from "./catalog.ts";
export {
  type Checked,
  type CheckInput,
  type CheckResult,
  checkInput,
  checkResult,
} from "./check.ts";
export { documentIncompatibilities, incompatibilities } from "./compatibility.ts";
export { type ChildEnd, type Composer, type PlannedStep, StepFailed, type Visibility } from "./composite.ts";
export { refuseFaults } from "./config-faults.ts";
export {
  adapterOf,
  type Contract,
  type Effect,
  effects,
  type Idempotency,
  type Risk,
  risks,
} from "./contract.ts";
export { longestTimeoutMs } from "./contract-of.ts";
export { canonical, commitment, digest, fingerprint, sameJson, sha256Hex } from "./digest.ts";
export { type Envelope, envelopeText } from "./dsse.ts";
export { type Duration, isDuration, milliseconds } from "./duration.ts";
export { cloudEventType, type Event, type EventKind, type NewEvent } from "./event.ts";
export { type Evidence, involvedIn, isDischarged, type Vote } from "./evidence.ts";
export { factsCommitment } from "./facts.ts";
export { attemptFaultOf, CapabilityError, type Fault, type FaultKind, faultOf } from "./fault.ts";
export { type Freeze, type FreezeKind, freezeKinds, neverFrozen } from "./freeze.ts";
export { type Bound, type Bounds, type Grant, withinBounds } from "./grant.ts";
export type { Json, JsonObject } from "./json.ts";
export { jsonSchema } from "./json-schema/json-schema.ts";
export { type PublicKey, publicKey } from "./keys.ts";
export type { Limit, Usage } from "./limit.ts";
export type { ConfigSource } from "./line-of-path.ts";
export { nearest } from "./nearest.ts";
export { type Outcome, type OutcomeKind, outcomeKinds } from "./outcome.ts";
export { ParaphError, type ParaphErrorCode } from "./paraph-error.ts";
export { type Admitted, admit } from "./pipeline/admit.ts";
export { type Advanced, advance, proceed } from "./pipeline/advance.ts";
export { latest } from "./pipeline/child-end.ts";
export { type Decided, type Decision, decide } from "./pipeline/decide.ts";
export { declinedIn } from "./pipeline/declined.ts";
export { type CallRequest, digestRequest, undoneBy } from "./pipeline/draft.ts";
export { type Edit, edit, type Succeeded } from "./pipeline/edit.ts";
export { tokensUsed } from "./pipeline/figures.ts";
export type { Considered } from "./pipeline/first-move.ts";
export { handOver, reveal } from "./pipeline/note.ts";
export { offeredUntil } from "./pipeline/offer.ts";
export { previewOnly } from "./pipeline/preview-only.ts";
export { type Report, report } from "./pipeline/report.ts";
export { probeAgain, type Resolved, resolve } from "./pipeline/resolve.ts";
export { resume } from "./pipeline/resume.ts";
export { type PastQuestion, ruleAgain } from "./pipeline/rule-again.ts";
export { afterDenials } from "./pipeline/slow.ts";
export { type Taken, take } from "./pipeline/take.ts";
export {
  type Absent,
  type Question as HeardQuestion,
  questionOf,
  type Voice,
  voiceOf,
} from "./pipeline/voice.ts";
export { withdraw } from "./pipeline/withdraw.ts";
export { type NotUndone, notUndone, notUndoneReasons } from "./plan/not-undone.ts";
export { plan } from "./plan/plan-capability.ts";
export { type PlanDocument, type PlanRequest, planDocument, stepsOf } from "./plan/plan-document.ts";
export { readPlan } from "./plan/read-plan.ts";
export { type ToolChain, toolChain } from "./plan/tool-chain.ts";
export { compensationStep, planCapability } from "./plan/undo-plan.ts";
export { reachesInput, usedBy } from "./plan/used-by.ts";
export {
  type Environment,
  type Evaluation,
  type Guard,
  type Policy,
  type PolicySet,
  type Question,
  type Urgency,
  urgencies,
} from "./policy.ts";
export type {
  Clock,
  Committed,
  Credentials,
  Engine,
  Freezes,
  Gate,
  Locked,
  Measurement,
  NewApproval,
  NewPayload,
  NewReceipt,
  NewResolution,
  Opened,
  Opening,
  Ports,
  Random,
  Signer,
  SpanAttributes,
  Stop,
  Store,
  Taking,
  Telemetry,
  Transition,
  Wake,
} from "./ports.ts";
export { type Principal, roles, seesEverything } from "./principal.ts";
export { inReceipt, performedByAgent, type ReceiptBundle, receiptMediaType, type Story } from "./receipt.ts";
export type { Rebuilt, ToldEvent } from "./replay/rebuilt.ts";
export { replay, replaySteps } from "./replay/replay.ts";
export { answerGuard, guardsOf, type Requirements } from "./requirements.ts";
export { type Finding, type Resolution, resolutionType } from "./resolution.ts";
export { type RetryPolicy, retryDelay } from "./retry.ts";
export {
  type Allow,
  type Ask,
  type Block,
  type Check,
  enforcing,
  type Ruling,
  rule,
  type Stance,
  type Subject,
  type Would,
} from "./ruling.ts";
export { pathText, type SchemaFault, schemaFaults } from "./schema-faults.ts";
export type { Sealer } from "./seal.ts";
export { sealGrant } from "./sealed-grant.ts";
export { costPath, type Declared, declaredCost, declaredLocks, lockTemplate } from "./serving/declared.ts";
export { isPlain, largestMessage, openMessage, type ServingMessage, sealMessage } from "./serving/message.ts";
export { type ServedContract, servedDigest, serviceDigest } from "./serving/served-contract.ts";
export { publicKeyFrom, signingKey } from "./serving/signing-key.ts";
export {
  type Operation,
  operations,
  type ServedEffect,
  type ServingAnswer,
  type ServingCall,
  type ServingRequest,
  servingAnswer,
  servingRequest,
} from "./serving/wire.ts";
export type { EscalationStep, Settings } from "./settings.ts";
export { type Verified, verifyReceipt } from "./verify.ts";
