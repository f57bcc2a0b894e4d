export { listActivity } from "./activity.ts";
export { createAdapterMemory } from "./adapters.ts";
export { type AdminQueries, createAdminQueries, hasOtherTenant, listTenants } from "./administration.ts";
export { authenticateKey } from "./api-key.ts";
export { createCallHistory, listPolicyRequests, loadPolicyReport } from "./backtest.ts";
export { createDatabaseClock } from "./clock.ts";
export { connectDatabase, type Database, DatabaseError } from "./database.ts";
export { createDelegationStore } from "./delegations.ts";
export { resolveExternalPrincipal } from "./external.ts";
export { createFreezeStore, listAllFreezes } from "./freezes.ts";
export { createGrantStore } from "./grants.ts";
export { createUsageHistory } from "./history.ts";
export { listInbox } from "./inbox.ts";
export { watchLeases } from "./lease-watch.ts";
export {
  findEarlierPreview,
  findEnvelope,
  findResolution,
  listApprovals,
  listCalls,
  listFlood,
} from "./lists.ts";
export { createMessageStore, type MessageStore } from "./messages.ts";
export { migrateDatabase } from "./migrate.ts";
export { type GeneratedKey, generateApiKey } from "./new-key.ts";
export { listAdapterPolls, listObservations, readObservationHead } from "./observations.ts";
export { summarizePastCalls } from "./past.ts";
export {
  createIdentityStore,
  listApiKeys,
  listGroups,
  listPrincipals,
} from "./people.ts";
export { createPollStore } from "./perceptions.ts";
export { createPolicySetStore } from "./policies.ts";
export { announceWorker, beginProcessLease, touchLease } from "./process-lease.ts";
export { createProgressStore } from "./progress.ts";
export { type Provisioner, provision } from "./provision.ts";
export { recoverTenant } from "./recover.ts";
export { checkReplay, type ReplayCheck, type ReplayDifference } from "./replay-check.ts";
export { generateSecret } from "./secret.ts";
export { createSessionStore, type SessionStore } from "./sessions.ts";
export { loadCallStatistics } from "./statistics.ts";
export { PostgresStore } from "./store.ts";
export { forgetLeases, listOrphanedCalls, sweepDueCalls, sweepMisdatedCalls } from "./sweep.ts";
export { isUnavailable } from "./unavailable.ts";
export { type CallWatch, watchCalls } from "./watch.ts";
export { createWebhookStore } from "./webhooks.ts";
