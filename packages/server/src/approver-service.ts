import { involvedIn, type Ports, standing } from "@paraph/core";
import type { ApproverService } from "./http/approver-service.ts";
import { type Database, listInbox, pastOf } from "./postgres/index.ts";

/** What approvers are shown beside a call. */
export function approverServiceOver(ports: Ports, database: Database): ApproverService {
  return {
    inbox: (reader, page) => listInbox(database.app, reader, page),
    standing: async (reader, { tenant, principal }) =>
      standing(reader, principal, await ports.store.hasOtherPerson(tenant, involvedIn(principal))),
    past: (call) => pastOf(database.app, call),
  };
}
