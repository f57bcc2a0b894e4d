import { activityOperations } from "./routes/activity.ts";
import { adapterOperations } from "./routes/adapters.ts";
import { administrationOperations } from "./routes/administration.ts";
import { agentExecutionOperations } from "./routes/agent-execution.ts";
import { approvalOperations } from "./routes/approvals.ts";
import { callActionOperations } from "./routes/call-actions.ts";
import { callOperations } from "./routes/calls.ts";
import { capabilityOperations } from "./routes/capabilities.ts";
import { delegationOperations } from "./routes/delegations.ts";
import { editOperations } from "./routes/edits.ts";
import { eventOperations } from "./routes/events.ts";
import { healthOperations } from "./routes/health.ts";
import { inboxOperations } from "./routes/inbox.ts";
import { intentOperations } from "./routes/intents.ts";
import { loadOperations } from "./routes/load.ts";
import { messageOperations } from "./routes/messages.ts";
import { noticeOperations } from "./routes/notices.ts";
import { notificationOperations } from "./routes/notifications.ts";
import { observationOperations } from "./routes/observations.ts";
import { outcomeOperations } from "./routes/outcomes.ts";
import { passkeyOperations } from "./routes/passkeys.ts";
import { peopleOperations } from "./routes/people.ts";
import { planOperations } from "./routes/plans.ts";
import { policyOperations } from "./routes/policy.ts";
import { receiptOperations } from "./routes/receipts.ts";
import { revealOperations } from "./routes/reveals.ts";
import { sessionOperations } from "./routes/sessions.ts";
import { statisticsOperations } from "./routes/statistics.ts";
import { tenantEventOperations } from "./routes/tenant-events.ts";

/** All operations of the API. The OpenAPI document and the scope checks derive from this list. */
export const apiOperations = [
  ...callOperations,
  ...planOperations,
  ...intentOperations,
  ...eventOperations,
  ...tenantEventOperations,
  ...approvalOperations,
  ...inboxOperations,
  ...editOperations,
  ...revealOperations,
  ...callActionOperations,
  ...agentExecutionOperations,
  ...outcomeOperations,
  ...messageOperations,
  ...delegationOperations,
  ...noticeOperations,
  ...notificationOperations,
  ...passkeyOperations,
  ...receiptOperations,
  ...activityOperations,
  ...observationOperations,
  ...sessionOperations,
  ...statisticsOperations,
  ...loadOperations,
  ...capabilityOperations,
  ...adapterOperations,
  ...policyOperations,
  ...peopleOperations,
  ...administrationOperations,
  ...healthOperations,
];
