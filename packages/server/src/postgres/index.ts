export { type Sights, sightsIn } from "./administration.ts";
export { authenticateKey } from "./api-key.ts";
export { callHistory, policyReport, policyRequests } from "./backtest.ts";
export { databaseClock } from "./clock.ts";
export { connect, type Database, DatabaseError } from "./database.ts";
export { type Delegation, type Delegations, delegationsIn } from "./delegations.ts";
export { externalPrincipal } from "./external.ts";
export { everyFreeze, type Freezes, freezesIn, type InFlight } from "./freezes.ts";
export { grantsIn } from "./grants.ts";
export { historyIn } from "./history.ts";
export { listInbox } from "./inbox.ts";
export { beginLife } from "./life.ts";
export { findEnvelope, findResolution, listApprovals, listCalls } from "./lists.ts";
export { migrate } from "./migrate.ts";
export { type NewKey, newKey } from "./new-key.ts";
export { pastOf } from "./past.ts";
export {
  listApiKeys,
  listGroups,
  listPrincipals,
  peopleIn,
} from "./people.ts";
export { policySetsIn } from "./policies.ts";
export { type Provisioner, provision } from "./provision.ts";
export { type Sessions, sessionsIn } from "./sessions.ts";
export { PostgresStore } from "./store.ts";
export { misdated, orphans, sweep } from "./sweep.ts";
export { type Message, type MessageKind, type NewMessage, type Thread, threadIn } from "./thread.ts";
export { type Watch, watchCalls } from "./watch.ts";
