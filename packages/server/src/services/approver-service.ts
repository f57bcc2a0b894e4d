import { type Call, conflictedPrincipals, type Ports, recordReveal, voterRole } from "@paraph/core";
import { type Database, listInbox, summarizePastCalls } from "../postgres/index.ts";
import type { ApproverService } from "./types/approver-types.ts";
import { maxUnbundledApprovals } from "./types/service-types.ts";

/** Creates the service for the approvers' pages. */
export function createApproverService(
  ports: Ports,
  database: Database,
  moved: (call: Call) => Promise<void>,
): ApproverService {
  return {
    listInbox: (reader, page) => listInbox(database.app, reader, { ...page, singles: maxUnbundledApprovals }),
    listDelegationsTo: ({ tenant, id }) => ports.store.delegationsTo(tenant, id),
    findVoterRole: async (reader, { tenant, principal }) =>
      voterRole(reader, principal, await ports.store.hasOtherPerson(tenant, conflictedPrincipals(principal))),
    isOnlyPerson: async ({ tenant, id }) => !(await ports.store.hasOtherPerson(tenant, [id])),
    recordReveal: async (by, call, paths) => moved(await recordReveal({ call, by, paths }, ports)),
    readHistory: (call) => summarizePastCalls(database.app, call),
  };
}
