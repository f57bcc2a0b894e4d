// The types of the public API, derived from the schemas that the server validates and documents with.
import type { z } from "zod";
import type { activitySchema } from "../../../server/src/http/schemas/activity.ts";
import type { adapterSchema, pendingDefinitionSchema } from "../../../server/src/http/schemas/adapter.ts";
import type { freezeSchema, grantSchema } from "../../../server/src/http/schemas/administration.ts";
import type {
  approvalSchema,
  approvalSummarySchema,
  approversSchema,
  bulkDecisionResultSchema,
  decisionSchema,
  editPreviewSchema,
  passkeyChallengeSchema,
  passkeyRequestSchema,
  roundSchema,
} from "../../../server/src/http/schemas/approval.ts";
import type {
  callEventSchema,
  callSchema,
  callSummarySchema,
  changeSchema,
} from "../../../server/src/http/schemas/call.ts";
import type { capabilitySummarySchema, contractSchema } from "../../../server/src/http/schemas/capability.ts";
import type { problemSchema } from "../../../server/src/http/schemas/common.ts";
import type { inboxSchema } from "../../../server/src/http/schemas/inbox.ts";
import type { intentSchema } from "../../../server/src/http/schemas/intent.ts";
import type { messageSchema } from "../../../server/src/http/schemas/message.ts";
import type { noticeSchema } from "../../../server/src/http/schemas/notice.ts";
import type {
  apiKeySchema,
  delegationSchema,
  groupSchema,
  meSchema,
  newPasskeySchema,
  passkeyEnrolmentSchema,
  passkeySchema,
  principalDetailsSchema,
  principalSummarySchema,
} from "../../../server/src/http/schemas/people.ts";
import type { planSchema, previewResultSchema } from "../../../server/src/http/schemas/plan.ts";
import type {
  backtestLineSchema,
  policySchema,
  whatIfSchema,
} from "../../../server/src/http/schemas/policy.ts";
import type { callErrorSchema, statisticsSchema } from "../../../server/src/http/schemas/statistics.ts";

export type Me = z.output<typeof meSchema>;
export type Inbox = z.output<typeof inboxSchema>;
export type InboxItem = Inbox["items"][number];
export type Approval = z.output<typeof approvalSchema>;
export type ApprovalSummary = z.output<typeof approvalSummarySchema>;
export type Approvers = z.output<typeof approversSchema>;
export type Notice = z.output<typeof noticeSchema>;
export type Round = z.output<typeof roundSchema>;
export type Decision = z.output<typeof decisionSchema>;
export type PasskeyRequest = z.output<typeof passkeyRequestSchema>;
export type PasskeyChallenge = z.output<typeof passkeyChallengeSchema>;
export type PasskeyAssertion = NonNullable<Decision["passkey"]>;
export type EditPreview = z.output<typeof editPreviewSchema>;
export type BulkResult = z.output<typeof bulkDecisionResultSchema>["results"][number];
export type Change = z.output<typeof changeSchema>;
export type Message = z.output<typeof messageSchema>;
export type Call = z.output<typeof callSchema>;
export type CallSummary = z.output<typeof callSummarySchema>;
export type CallEvent = z.output<typeof callEventSchema>;
export type Plan = z.output<typeof planSchema>;
export type PolicySet = z.output<typeof policySchema>;
export type BacktestLine = z.output<typeof backtestLineSchema>;
export type BacktestResult = Extract<BacktestLine, { kind: "result" }>;
export type WhatIf = z.output<typeof whatIfSchema>;
export type CapabilitySummary = z.output<typeof capabilitySummarySchema>;
export type Contract = z.output<typeof contractSchema>;
export type PrincipalSummary = z.output<typeof principalSummarySchema>;
export type PrincipalDetails = z.output<typeof principalDetailsSchema>;
export type ApiKey = z.output<typeof apiKeySchema>;
export type Passkey = z.output<typeof passkeySchema>;
export type PasskeyEnrolment = z.output<typeof passkeyEnrolmentSchema>;
export type NewPasskey = z.output<typeof newPasskeySchema>;
export type Group = z.output<typeof groupSchema>;
export type Delegation = z.output<typeof delegationSchema>;
export type Grant = z.output<typeof grantSchema>;
export type PreviewResult = z.output<typeof previewResultSchema>;
export type Problem = z.output<typeof problemSchema>;
export type Risk = NonNullable<Round["risk"]>;
export type OutcomeKind = NonNullable<Call["outcome"]>["kind"];
export type Activity = z.output<typeof activitySchema>;
export type Adapter = z.output<typeof adapterSchema>;
export type Freeze = z.output<typeof freezeSchema>;
export type Statistics = z.output<typeof statisticsSchema>;
export type Intent = z.output<typeof intentSchema>;
export type PlannedIntent = Extract<Intent, { kind: "plan" }>;
export type PendingDefinition = z.output<typeof pendingDefinitionSchema>;
export type CallError = z.output<typeof callErrorSchema>;
