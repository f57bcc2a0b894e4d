import { type Call, conflictedPrincipals, type Ports, recordReveal, voterRole } from "@paraph/core";
import { type Database, listInbox, pastOf } from "../postgres/index.ts";
import type { ApproverService } from "./types/approver-types.ts";
import { mostSingles } from "./types/service-types.ts";

/** What approvers are shown beside a call. */
export function approverServiceOver(
  ports: Ports,
  database: Database,
  moved: (call: Call) => Promise<void>,
): ApproverService {
  return {
    inbox: (reader, page) => listInbox(database.app, reader, { ...page, singles: mostSingles }),
    absent: ({ tenant, id }) => ports.store.delegationsTo(tenant, id),
    standing: async (reader, { tenant, principal }) =>
      voterRole(reader, principal, await ports.store.hasOtherPerson(tenant, conflictedPrincipals(principal))),
    isOnlyPerson: async ({ tenant, id }) => !(await ports.store.hasOtherPerson(tenant, [id])),
    reveal: async (by, call, paths) => moved(await recordReveal({ call, by, paths }, ports)),
    past: (call) => pastOf(database.app, call),
  };
}
