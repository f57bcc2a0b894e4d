export { listActivity } from "./activity.ts";
export { adaptersIn } from "./adapters.ts";
export { everyTenant, hasOtherTenant, type Sights, sightsIn } from "./administration.ts";
export { authenticateKey } from "./api-key.ts";
export { callHistory, policyReport, policyRequests } from "./backtest.ts";
export { databaseClock } from "./clock.ts";
export { connect, type Database, DatabaseError } from "./database.ts";
export { delegationsIn } from "./delegations.ts";
export { externalPrincipal } from "./external.ts";
export { everyFreeze, freezesIn } from "./freezes.ts";
export { grantsIn } from "./grants.ts";
export { historyIn } from "./history.ts";
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
export { type Thread, threadIn } from "./messages.ts";
export { migrate } from "./migrate.ts";
export { type NewKey, newKey } from "./new-key.ts";
export { listObservations, listPerceptions, observationHead } from "./observations.ts";
export { pastOf } from "./past.ts";
export {
  listApiKeys,
  listGroups,
  listPrincipals,
  peopleIn,
} from "./people.ts";
export { perceptionsIn } from "./perceptions.ts";
export { policySetsIn } from "./policies.ts";
export { announceWorker, beginLife, touchLease } from "./process-lease.ts";
export { progressIn } from "./progress.ts";
export { type Provisioner, provision } from "./provision.ts";
export { recoverTenant } from "./recover.ts";
export { checkReplay, type Difference, type ReplayCheck } from "./replay-check.ts";
export { newSecret } from "./secret.ts";
export { type Sessions, sessionsIn } from "./sessions.ts";
export { callStatistics } from "./statistics.ts";
export { PostgresStore } from "./store.ts";
export { forgetLeases, misdated, orphans, sweep } from "./sweep.ts";
export { isUnavailable } from "./unavailable.ts";
export { type Watch, watchCalls } from "./watch.ts";
export { webhooksIn } from "./webhooks.ts";
