import { type Call, involvedIn, type Ports, reveal, standing } from "@paraph/core";
import type { ApproverService } from "./http/approver-service.ts";
import { mostSingles } from "./http/service.ts";
import { type Database, listInbox, pastOf } from "./postgres/index.ts";

/** What approvers are shown beside a call. */
export function approverServiceOver(
  ports: Ports,
  database: Database,
  moved: (call: Call) => Promise<void>,
): ApproverService {
  return {
    inbox: (reader, page) => listInbox(database.app, reader, { ...page, singles: mostSingles }),
    absent: ({ tenant, id }) => ports.store.standsInFor(tenant, id),
    standing: async (reader, { tenant, principal }) =>
      standing(reader, principal, await ports.store.hasOtherPerson(tenant, involvedIn(principal))),
    isOnlyPerson: async ({ tenant, id }) => !(await ports.store.hasOtherPerson(tenant, [id])),
    reveal: async (by, call, paths) => moved(await reveal({ call, by, paths }, ports)),
    past: (call) => pastOf(database.app, call),
  };
}
