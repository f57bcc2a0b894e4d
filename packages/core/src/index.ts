export { type Approval, approvalDigest, type CastVote, type RoundStatus, standing } from "./approval.ts";
export type { Attempt, Call, CallRef, CallState, Payload, PayloadName, Payloads, Session } from "./call.ts";
export { type Caller, isScope, reaches, reachesCapability, type Scope } from "./caller.ts";
export {
  type Capability,
  type CapabilityDefinition,
  type Change,
  defineCapability,
  longestTimeoutMs,
  type Preview,
  type Probe,
  type Undo,
  type World,
} from "./capability.ts";
export { Catalog } from "./catalog.ts";
export {
  type Checked,
  type CheckInput,
  type CheckResult,
  checkInput,
  checkResult,
} from "./check.ts";
export { incompatibilities } from "./compatibility.ts";
export {
  adapterOf,
  type Contract,
  type Effect,
  effects,
  type Idempotency,
  type Risk,
  risks,
} from "./contract.ts";
export { canonical, commitment, digest, fingerprint, sameJson, sha256Hex } from "./digest.ts";
export { type Envelope, envelopeText } from "./dsse.ts";
export { type Duration, milliseconds } from "./duration.ts";
export { cloudEventType, type Event, type EventKind, type NewEvent } from "./event.ts";
export { type Evidence, involvedIn, isDischarged, type Vote } from "./evidence.ts";
export { CapabilityError, type Fault, type FaultKind, faultOf } from "./fault.ts";
export { type Freeze, type FreezeKind, freezeKinds, neverFrozen } from "./freeze.ts";
export { type Bound, type Bounds, type Grant, withinBounds } from "./grant.ts";
export type { Json, JsonObject } from "./json.ts";
export { type PublicKey, publicKey } from "./keys.ts";
export type { Limit, Usage } from "./limit.ts";
export { type Outcome, type OutcomeKind, outcomeKinds } from "./outcome.ts";
export { ParaphError, type ParaphErrorCode } from "./paraph-error.ts";
export { type Admitted, admit, type CallRequest } from "./pipeline/admit.ts";
export { type Advanced, advance, proceed } from "./pipeline/advance.ts";
export { type Decided, type Decision, decide } from "./pipeline/decide.ts";
export { type Edit, edit, type Succeeded } from "./pipeline/edit.ts";
export { handOver, reveal, said } from "./pipeline/note.ts";
export { probeAgain, type Resolved, resolve } from "./pipeline/resolve.ts";
export {
  type Absent,
  type Question as HeardQuestion,
  questionOf,
  type Voice,
  voiceOf,
} from "./pipeline/voice.ts";
export { withdraw } from "./pipeline/withdraw.ts";
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
  EscalationStep,
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
  Settings,
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
export { inReceipt, type ReceiptBundle, receiptMediaType, type Story } from "./receipt.ts";
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
export { type Verified, verifyReceipt } from "./verify.ts";
