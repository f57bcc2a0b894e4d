export { createAdapterMemory } from "./adapter-memory.ts";
export { type AdminQueries, createAdminQueries, hasOtherTenant, listTenants } from "./admin-queries.ts";
export { listApprovals, listFlood } from "./approvals/approval-queries.ts";
export { createDelegationStore } from "./approvals/delegations.ts";
export { createGrantStore } from "./approvals/grants.ts";
export { listInbox } from "./approvals/inbox.ts";
export { listPossibleApprovers } from "./approvals/possible-approvers.ts";
export { listQuestions } from "./approvals/questions.ts";
export { readBacklog, readDeploymentStatus } from "./backlog.ts";
export { listActivity } from "./calls/activity.ts";
export { findEarlierPreview, findEnvelope, findResolution, listReasons } from "./calls/call-queries.ts";
export { findUndo } from "./calls/find-undo.ts";
export { listCalls } from "./calls/list-calls.ts";
export { createMessageStore, type MessageStore } from "./calls/messages.ts";
export { summarizePastCalls } from "./calls/past-outcomes.ts";
export { createProgressStore } from "./calls/progress.ts";
export { checkReplay, type ReplayCheck, type ReplayDifference } from "./calls/replay-check.ts";
export { loadCallStatistics } from "./calls/statistics.ts";
export { PostgresStore } from "./calls/store.ts";
export { restoreEnvelope, type StoredReceipt } from "./calls/stored-receipt.ts";
export {
  createPlanSweep,
  forgetLeases,
  listOrphanedCalls,
  sweepDueCalls,
  sweepMisdatedCalls,
} from "./calls/sweep.ts";
export { createTenantFeed, type TenantFeed } from "./calls/tenant-feed.ts";
export { createUsageHistory } from "./calls/usage-history.ts";
export { type CallWatch, watchCalls } from "./calls/watch-calls.ts";
export { createDatabaseClock } from "./clock.ts";
export { connectDatabase, type Database, DatabaseError } from "./database.ts";
export { authenticateKey } from "./identity/api-key.ts";
export { createTenant } from "./identity/create-tenant.ts";
export { resolveExternalPrincipal } from "./identity/external-identity.ts";
export { type GeneratedKey, generateApiKey } from "./identity/generate-key.ts";
export { createPasskeyStore, type PasskeyStore, type StoredPasskey } from "./identity/passkeys.ts";
export { createIdentityStore, listApiKeys, listGroups } from "./identity/people.ts";
export { findPrincipalDetails, listPrincipals } from "./identity/principals.ts";
export { recoverTenant } from "./identity/recover-tenant.ts";
export { generateSecret } from "./identity/secret.ts";
export { createSessionStore, type LoginLink, type SessionStore } from "./identity/sessions.ts";
export { createSlackStore, type SlackAccount, type SlackStore } from "./identity/slack-accounts.ts";
export { type DatabaseInspection, inspectDatabase } from "./inspection/inspect-database.ts";
export { watchLeases } from "./lease-watch.ts";
export { type Load, readLoad } from "./load.ts";
export { type MigrationStep, migrateDatabase } from "./migrate.ts";
export { createContactStore } from "./notices/contacts.ts";
export { listNotices, type NoticeRecord, noticeStates } from "./notices/list-notices.ts";
export {
  createMailRequestStore,
  type MailMeaning,
  type MailRequest,
  type MailRequestStore,
  type MailRequestToken,
  requestLastingMs,
} from "./notices/mail-request-store.ts";
export type {
  CallPlan,
  DueNotice,
  NoticeKind,
  NoticeStore,
  PlannedNotice,
  QuietHours,
  ReachablePerson,
  ToldPerson,
} from "./notices/notice-store.ts";
export { createPreferenceStore, type NotificationPreferences } from "./notices/preferences.ts";
export {
  createPushDeviceStore,
  maxPushDevices,
  type PushDevice,
  type PushDeviceStore,
  type PushSubscription,
  toDeviceId,
} from "./notices/push-devices.ts";
export {
  createReplyStore,
  type MailPlace,
  type ReplyStore,
  type ReplyToken,
  type RequestToken,
} from "./notices/reply-store.ts";
export { createNoticeStore } from "./notices/store.ts";
export { listAdapterPolls, listObservations, readObservationHead } from "./observations/list-observations.ts";
export { createPollStore } from "./observations/poll-store.ts";
export { createFreezeStore, listAllFreezes, listFreezes } from "./policy/freezes.ts";
export { readLimitUsage } from "./policy/limit-usage.ts";
export { createCallHistory, listPolicyRequests, loadPolicyReport } from "./policy/past-calls.ts";
export { createPolicySetStore } from "./policy/policy-sets.ts";
export { announceWorker, beginProcessLease, listHeldAddresses, touchLease } from "./process-lease.ts";
export { type Provisioner, provision } from "./provision.ts";
export { type CallStanding, findCallStandings, type RecordedRestore, recordRestore } from "./restore.ts";
export {
  type ErasableCall,
  type ErasurePlan,
  eraseCalls,
  type KeptPlace,
  planErasure,
} from "./retention/erase.ts";
export {
  countArchivable,
  type RetainResult,
  type RetainStep,
  retainCalls,
} from "./retention/retain.ts";
export { isUnavailable } from "./unavailable.ts";
export { listenForWakes, notifyWorker, postponeDueCalls } from "./wakes.ts";
export { createWebhookStore } from "./webhooks.ts";
