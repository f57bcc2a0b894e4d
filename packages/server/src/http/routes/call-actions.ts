import { createRoute, z } from "@hono/zod-openapi";
import type { Call, Principal } from "@paraph/core";
import type { ParaphService } from "../../services/paraph-service.ts";
import { findContract } from "../../visibility/find-contract.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireApproval } from "../middleware/authorization.ts";
import { HttpProblem, toProblem, unknownApproval } from "../problem.ts";
import {
  acknowledgementRequestSchema,
  acknowledgementSchema,
  bulkDecisionResultSchema,
  bulkDecisionSchema,
  reassignmentSchema,
} from "../schemas/approval.ts";
import { callSchema } from "../schemas/call.ts";
import {
  approvalIdSchema,
  bodyProblems,
  decisionProblems,
  requireAnyScope,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { toCallView, toIso } from "../views/call-view.ts";

const reassignApproval = createRoute({
  operationId: "reassignApproval",
  method: "post",
  path: "/v1/approvals/{approval}/reassign",
  tags: ["Approvals"],
  summary: "Reassign your vote to another person",
  description:
    "The other person's approval then also counts in your groups, in place of your approval. You cannot pass on groups that you have as a delegate.",
  security: requireAnyScope("decide"),
  request: {
    params: z.object({ approval: approvalIdSchema }),
    body: { required: true, content: { "application/json": { schema: reassignmentSchema } } },
  },
  responses: {
    200: toJsonResponse(callSchema, "The call."),
    ...toProblemResponses(...decisionProblems),
  },
});

const acknowledgeApproval = createRoute({
  operationId: "acknowledgeApproval",
  method: "post",
  path: "/v1/approvals/{approval}/acknowledgement",
  tags: ["Approvals"],
  summary: "Tell the other approvers that you look at a request",
  description:
    "Paraph delays the next reminder or escalation for `ask.acknowledge`, once per person and round. The request still expires at the same time. Everyone who can see the call sees the event.",
  security: requireAnyScope("decide"),
  request: {
    params: z.object({ approval: approvalIdSchema }),
    body: { required: true, content: { "application/json": { schema: acknowledgementRequestSchema } } },
  },
  responses: {
    200: toJsonResponse(acknowledgementSchema, "The acknowledgement."),
    ...toProblemResponses(...decisionProblems),
  },
});

const decideApprovals = createRoute({
  operationId: "decideApprovals",
  method: "post",
  path: "/v1/approvals/decisions",
  tags: ["Approvals"],
  summary: "Decide several approvals of one kind",
  description:
    "Only for approvals of one capability and one risk. Each decision is separate and counts only for its digest. Returns one result for each, in the same order.",
  security: requireAnyScope("decide"),
  request: { body: { required: true, content: { "application/json": { schema: bulkDecisionSchema } } } },
  responses: {
    200: toJsonResponse(bulkDecisionResultSchema, "The result of each decision."),
    ...toProblemResponses(...bodyProblems, "approval-unknown"),
  },
});

export const callActionOperations = [reassignApproval, acknowledgeApproval, decideApprovals];

export function createCallActionRoutes({ service }: RouteDeps) {
  const { actions } = service;
  const seen = (principal: Principal, approval: string) => requireApproval(principal, approval, service);
  return createRouter()
    .openapi(reassignApproval, async (c) => {
      const by = c.get("principal");
      const { approval } = c.req.valid("param");
      await seen(by, approval);
      const call = await actions.reassign({ approval, by, ...c.req.valid("json") });
      return c.json(await toCallView(call, by, service), 200);
    })
    .openapi(acknowledgeApproval, async (c) => {
      const by = c.get("principal");
      const { approval } = c.req.valid("param");
      await seen(by, approval);
      const { until } = await actions.acknowledge({ approval, by, ...c.req.valid("json") });
      return c.json({ approval, by: by.id, until: toIso(until) }, 200);
    })
    .openapi(decideApprovals, async (c) => {
      const voter = c.get("principal");
      const wanted = c.req.valid("json").decisions;
      const calls = await Promise.all(wanted.map(({ approval }) => service.findApproval(voter, approval)));
      if (calls.every((call) => call === undefined)) throw unknownApproval();
      rejectMixedDecisions(calls, service);
      const results = [];
      for (const { reason, ...decision } of wanted) {
        const given = { voter, ...decision, ...(reason !== undefined && { reason }) };
        results.push(await decideOne(given, calls[results.length], service));
      }
      return c.json({ results }, 200);
    });
}

/**
 * Rejects a bulk decision over several kinds of calls, because a person must see at a glance what the decision covers.
 */
export function rejectMixedDecisions(calls: readonly (Call | undefined)[], service: ParaphService): void {
  const kinds = calls
    .filter((call) => call !== undefined)
    .map((call) => `${call.capability} ${findContract(call, service)?.risk}`);
  if (new Set(kinds).size > 1)
    throw new HttpProblem(
      "body-invalid",
      "A bulk decision can cover only one capability and one risk. Split the request.",
    );
}

/** Decides one approval of a bulk decision, and returns its result or its problem. */
export async function decideOne(
  decision: Parameters<ParaphService["decide"]>[0],
  found: Call | undefined,
  service: ParaphService,
) {
  const { approval } = decision;
  try {
    if (!found) throw unknownApproval();
    const { call } = await service.decide(decision);
    return { approval, call: call.call, state: call.state };
  } catch (error) {
    const { code, message, status } = toProblem(error);
    // A server error does not belong to one decision, so it fails the whole request.
    if (status >= 500) throw error;
    return { approval, problem: { code, detail: message } };
  }
}
