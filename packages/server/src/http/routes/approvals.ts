import { createRoute, z } from "@hono/zod-openapi";
import { type Json, seesEverything } from "@paraph/core";
import type { ApprovalSummary } from "../../services/paraph-service.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { HttpProblem, unknownApproval } from "../problem.ts";
import {
  approvalBundleSchema,
  approvalSchema,
  approvalSummarySchema,
  decisionSchema,
  roundStatuses,
} from "../schemas/approval.ts";
import { callSchema } from "../schemas/call.ts";
import {
  approvalIdSchema,
  decisionProblems,
  pageLimitSchema,
  requireAnyScope,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { toApprovalSummaryView, toApprovalView, toCallView } from "../views/call-view.ts";
import { listVoterStatuses } from "../views/voter-status.ts";

const listApprovals = createRoute({
  operationId: "listApprovals",
  method: "get",
  path: "/v1/approvals",
  tags: ["Approvals"],
  summary: "List approvals, newest first",
  description: "For people only.",
  security: requireAnyScope("read", "decide"),
  request: {
    query: z.object({
      status: z.enum(roundStatuses).default("open"),
      before: approvalIdSchema
        .optional()
        .openapi({ description: "Only approvals older than this one. Use the `next` of the previous page." }),
      limit: pageLimitSchema,
    }),
  },
  responses: {
    200: toJsonResponse(
      z.object({
        approvals: z.array(approvalSummarySchema),
        bundles: z
          .array(approvalBundleSchema)
          .optional()
          .openapi({ description: "Bundles of many similar approvals, which are not listed separately." }),
        next: approvalIdSchema.optional(),
      }),
      "A page of approvals.",
    ),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "approver-not-allowed"),
  },
});

const getApproval = createRoute({
  operationId: "getApproval",
  method: "get",
  path: "/v1/approvals/{approval}",
  tags: ["Approvals"],
  summary: "Get everything that an approver needs to decide",
  description: "Reading an approval does not decide it. A void round names the newest round.",
  security: requireAnyScope("read", "decide"),
  request: { params: z.object({ approval: approvalIdSchema }) },
  responses: {
    200: toJsonResponse(approvalSchema, "The round, or a link to the newest one."),
    ...toProblemResponses("not-authenticated", "scope-missing", "approval-unknown"),
  },
});

const decideApproval = createRoute({
  operationId: "decideApproval",
  method: "post",
  path: "/v1/approvals/{approval}/decision",
  tags: ["Approvals"],
  summary: "Approve, deny, or return with instructions",
  description:
    "For a plan, you decide all steps, or all except those in `declined`. The vote counts only for the digest that you send. The requester and the owner of the requesting agent cannot approve while another person could.",
  security: requireAnyScope("decide"),
  request: {
    params: z.object({ approval: approvalIdSchema }),
    body: { required: true, content: { "application/json": { schema: decisionSchema } } },
  },
  responses: {
    200: toJsonResponse(callSchema, "The vote is recorded. Returns the call."),
    ...toProblemResponses(...decisionProblems, "passkey-required", "input-invalid"),
  },
});

export const approvalOperations = [listApprovals, getApproval, decideApproval];

export function createApprovalRoutes({ service }: RouteDeps) {
  return createRouter()
    .openapi(listApprovals, async (c) => {
      const principal = c.get("principal");
      if (principal.kind !== "person") {
        throw new HttpProblem(
          "approver-not-allowed",
          "Only people can read and decide approvals. Use a person's key.",
        );
      }
      const { status, before, limit } = c.req.valid("query");
      const page = await service.listApprovals(principal, {
        status,
        limit,
        ...(before !== undefined && { before }),
      });
      const voters = await listVoterStatuses(principal, page.approvals, service.approver);
      const view = (one: ApprovalSummary) =>
        toApprovalSummaryView(
          one,
          service.findCapability(principal.tenant, one.capability)?.contract,
          voters.get(one.approval),
        );
      const approvals = page.approvals.map(view);
      const bundles = page.bundles.map(({ items, ...flood }) => ({
        ...flood,
        items: items.map(view),
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
      const view = call && (await toApprovalView(call, approval, principal, service));
      if (!view) throw unknownApproval();
      return c.json(view, 200);
    })
    .openapi(decideApproval, async (c) => {
      const voter = c.get("principal");
      const { approval } = c.req.valid("param");
      // [TRUST 9] An approval that the voter may not see gets the same response as one that does not exist. Voters who
      // see everything skip this lookup.
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
      return c.json(await toCallView(decided.call, voter, service), 200);
    });
}
