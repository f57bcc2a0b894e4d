import { createRoute, z } from "@hono/zod-openapi";
import type { Contract } from "@paraph/core";
import type { InboxRow } from "../../services/approver-service.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { HttpProblem } from "../problem.ts";
import { pageLimitSchema, requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";
import { inboxCursorSchema, inboxSchema } from "../schemas/inbox.ts";
import { toIso } from "../views/call-view.ts";
import { describeCapability } from "../views/headline-view.ts";
import { findGravest, listStepRisks, raiseToHighestRisk } from "../views/highest-risk.ts";
import { omitUndefined } from "../views/omit-undefined.ts";
import { findEntryStatus } from "../views/voter-status.ts";
import { toGuardView } from "../views/waiting-view.ts";

const listInbox = createRoute({
  operationId: "listInbox",
  method: "get",
  path: "/v1/inbox",
  tags: ["Approvals"],
  summary: "List open approvals, the soonest to expire first",
  description:
    "For people only. `voter` says whether your approval would count. Many similar approvals of one requester are one entry with `bundle`. Its `voter` says whether your approval would count for at least one of them.",
  security: requireAnyScope("read", "decide"),
  request: {
    query: z.object({
      after: inboxCursorSchema
        .optional()
        .openapi({ description: "Only later entries. Use the `next` of the previous page." }),
      limit: pageLimitSchema,
    }),
  },
  responses: {
    200: toJsonResponse(inboxSchema, "A page of the inbox."),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "approver-not-allowed"),
  },
});

export const inboxOperations = [listInbox];

export function createInboxRoutes({ service }: Pick<RouteDeps, "service">) {
  const { approver } = service;
  return createRouter().openapi(listInbox, async (c) => {
    const reader = c.get("principal");
    if (reader.kind !== "person")
      throw new HttpProblem("approver-not-allowed", "Only people have an inbox. Use a person's key.");
    const { after, limit } = c.req.valid("query");
    const [found, delegations, isOnlyPerson] = await Promise.all([
      approver.listInbox(reader, { limit, ...(after !== undefined && { after: parseCursor(after) }) }),
      approver.listDelegationsTo(reader),
      approver.isOnlyPerson(reader),
    ]);
    const items = found.rows.map((row) => ({
      ...toInboxItem(row, service.findCapability(reader.tenant, row.capability)?.contract),
      voter: findEntryStatus(row, reader, delegations, isOnlyPerson),
    }));
    const next = found.next && `${found.next.expiresAt}.${found.next.approval}`;
    return c.json({ items, ...(next !== undefined && { next }) }, 200);
  });
}

function toInboxItem(row: InboxRow, contract: Contract | undefined) {
  const { approval, capability, question, votes, expiresAt, flood, steps } = row;
  const rows = flood?.items ?? [row];
  const raised = contract && raiseToHighestRisk(contract, rows.flatMap(listStepRisks));
  return {
    approval,
    headline: findGravest(row, rows).headline ?? describeCapability(contract, capability),
    capability,
    principal: {
      id: question.asker.id,
      ...omitUndefined({ owner: question.asker.owner, onBehalfOf: question.asker.onBehalfOf }),
    },
    ...(raised && { risk: raised.risk, effect: raised.effect }),
    guards: question.guards.map(toGuardView),
    votes,
    expiresAt: toIso(expiresAt),
    ...(steps && { steps: Object.values(steps).reduce((sum, some) => sum + some, 0) }),
    ...(flood !== undefined && { bundle: flood.count }),
  };
}

function parseCursor(cursor: string): { expiresAt: number; approval: string } {
  const [at = "", approval = ""] = cursor.split(".");
  return { expiresAt: Number(at), approval };
}
