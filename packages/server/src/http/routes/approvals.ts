import { createRoute, z } from "@hono/zod-openapi";
import { type Json, seesEverything } from "@paraph/core";
import { type Parts, router } from "../context.ts";
import { Problem, unknownApproval } from "../problem.ts";
import {
  approvalView as approvalSchema,
  approvalSummary,
  bundle,
  decision,
  roundStatuses,
} from "../schemas/approval.ts";
import { callView as callSchema } from "../schemas/call.ts";
import { approvalId, decidingProblems, json, limit, needs, problemResponses } from "../schemas/common.ts";
import { approvalSummaryView, approvalView, callView } from "../views/call-view.ts";

const listApprovals = createRoute({
  operationId: "listApprovals",
  method: "get",
  path: "/v1/approvals",
  tags: ["Approvals"],
  summary: "What people are asked, newest first",
  description: "For people only.",
  security: needs("read", "decide"),
  request: {
    query: z.object({
      status: z.enum(roundStatuses).default("open"),
      before: approvalId
        .optional()
        .openapi({ description: "Older than this one: `next` of the page before." }),
      limit,
    }),
  },
  responses: {
    200: json(
      z.object({
        approvals: z.array(approvalSummary),
        bundles: z
          .array(bundle)
          .optional()
          .openapi({ description: "Floods, each in place of its approvals." }),
        next: approvalId.optional(),
      }),
      "A page of approvals.",
    ),
    ...problemResponses("parameter-invalid", "not-authenticated", "scope-missing", "approver-not-allowed"),
  },
});

const getApproval = createRoute({
  operationId: "getApproval",
  method: "get",
  path: "/v1/approvals/{approval}",
  tags: ["Approvals"],
  summary: "Everything an approver needs to decide",
  description:
    "Looking never decides. A round that was replaced because the world moved says so and names the newest one.",
  security: needs("read", "decide"),
  request: { params: z.object({ approval: approvalId }) },
  responses: {
    200: json(approvalSchema, "The round, or where to look instead."),
    ...problemResponses("not-authenticated", "scope-missing", "approval-unknown"),
  },
});

const decideApproval = createRoute({
  operationId: "decideApproval",
  method: "post",
  path: "/v1/approvals/{approval}/decision",
  tags: ["Approvals"],
  summary: "Approve, deny, or return with instructions",
  description:
    "Of a plan, all of it or all but the steps in `declined`. Counts for the digest you were shown and nothing else. Who asked, or owns the agent that asked, cannot approve it while somebody else could.",
  security: needs("decide"),
  request: {
    params: z.object({ approval: approvalId }),
    body: { required: true, content: { "application/json": { schema: decision } } },
  },
  responses: {
    200: json(callSchema, "The decision counts; the call as it stands now."),
    ...problemResponses(...decidingProblems, "input-invalid"),
  },
});

export const approvalOperations = [listApprovals, getApproval, decideApproval];

export function approvalRoutes({ service }: Parts) {
  return router()
    .openapi(listApprovals, async (c) => {
      const principal = c.get("principal");
      if (principal.kind !== "person") {
        throw new Problem("approver-not-allowed", "Approvals are for people: use a person's key.");
      }
      const { status, before, limit } = c.req.valid("query");
      const page = await service.approvals(principal, {
        status,
        limit,
        ...(before !== undefined && { before }),
      });
      const approvals = page.approvals.map(approvalSummaryView);
      const bundles = page.bundles.map(({ items, ...flood }) => ({
        ...flood,
        items: items.map(approvalSummaryView),
      }));
      return c.json(
        {
          approvals,
          ...(bundles.length > 0 && { bundles }),
          ...(page.next !== undefined && { next: page.next }),
        },
        200,
      );
    })
    .openapi(getApproval, async (c) => {
      const principal = c.get("principal");
      const { approval } = c.req.valid("param");
      const call = await service.findApproval(principal, approval);
      const view = call && (await approvalView(call, approval, principal, service));
      if (!view) throw unknownApproval();
      return c.json(view, 200);
    })
    .openapi(decideApproval, async (c) => {
      const voter = c.get("principal");
      const { approval } = c.req.valid("param");
      // [TRUST 9] Who may not see it is not told that it is there. Who sees everything need not wait for a look at it.
      if (!seesEverything(voter) && !(await service.findApproval(voter, approval))) throw unknownApproval();
      const { decision, digest, reason, declined, answer } = c.req.valid("json");
      const decided = await service.decide({
        approval,
        voter,
        decision,
        digest,
        ...(reason !== undefined && { reason }),
        ...(declined && { declined }),
        ...(answer !== undefined && { answer: answer as Json }),
      });
      return c.json(await callView(decided.call, voter, service), 200);
    });
}
