import { createRoute, z } from "@hono/zod-openapi";
import type { Call, Json, JsonObject, Principal } from "@paraph/core";
import type { ParaphService } from "../../services/paraph-service.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireCapabilityScope } from "../middleware/authorization.ts";
import { HttpProblem, toProblem, unknownApproval } from "../problem.ts";
import {
  acknowledgementRequestSchema,
  acknowledgementSchema,
  bulkDecisionResultSchema,
  bulkDecisionSchema,
  editSchema,
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
import { findContract, toCallView, toIso } from "../views/call-view.ts";
import { restoreMasked } from "../views/mask-payloads.ts";

const editApproval = createRoute({
  operationId: "editApproval",
  method: "post",
  path: "/v1/approvals/{approval}/edit",
  tags: ["Approvals"],
  summary: "Edit the input of a waiting call",
  description:
    "An edit changes the input, not the capability. It creates a new call, which Paraph validates, rules on and previews again, with no votes and the old deadline. Policy must allow both the requester and the editor to request it. A key with scopes needs the scope to call it. An editor cannot approve their own edit, unless they are the tenant's only person. The old call ends as superseded and names the new one. If the edit is refused, the old call stays open.",
  security: requireAnyScope("decide"),
  request: {
    params: z.object({ approval: approvalIdSchema }),
    body: { required: true, content: { "application/json": { schema: editSchema } } },
  },
  responses: {
    200: toJsonResponse(callSchema, "The call that replaced the edited one."),
    ...toProblemResponses(
      ...decisionProblems,
      "edit-refused",
      "capability-unknown",
      "input-invalid",
      "frozen",
      "limit-reached",
    ),
  },
});

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

export const callActionOperations = [editApproval, reassignApproval, acknowledgeApproval, decideApprovals];

export function createCallActionRoutes({ service }: RouteDeps) {
  const { actions } = service;
  /**
   * [TRUST 9] Finds the call of an approval. An approval that the principal may not see gets the same response as one
   * that does not exist.
   */
  const seen = async (principal: Principal, approval: string): Promise<Call> => {
    const call = await service.findApproval(principal, approval);
    if (!call) throw unknownApproval();
    return call;
  };
  return createRouter()
    .openapi(editApproval, async (c) => {
      const editor = c.get("principal");
      const { approval } = c.req.valid("param");
      const { digest, reason, ...wanted } = c.req.valid("json");
      const call = await seen(editor, approval);
      const input = toEditedInput(wanted, call);
      requireCapabilityScope(c, call.capability, input);
      const { call: next } = await actions.edit({
        approval,
        editor,
        digest,
        input,
        ...(reason !== undefined && { reason }),
      });
      return c.json(await toCallView(next, editor, service), 200);
    })
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
 * Returns the whole edited input. If the edit names one step of a plan, its input replaces only the input of that step.
 */
export function toEditedInput(
  { step, input }: { readonly step?: string | undefined; readonly input?: unknown },
  call: Call,
): Json {
  if (step === undefined) return restoreInput(input as Json, call);
  const plan = call.payloads.input?.value as JsonObject | undefined;
  const steps = Array.isArray(plan?.steps) ? (plan.steps as readonly JsonObject[]) : [];
  if (!steps.some(({ id }) => id === step))
    throw new HttpProblem("input-invalid", "The plan has no such step. Use the id of one of its steps.");
  const edited = steps.map((one) => (one.id === step ? { ...one, input: input as Json } : one));
  return restoreInput({ ...plan, steps: edited }, call);
}

/** Restores the original values of the fields that the editor saw masked. */
export function restoreInput(given: Json, call: Call): Json {
  const whole = restoreMasked(given, call.payloads.input?.value);
  if (whole !== undefined) return whole;
  throw new HttpProblem(
    "input-invalid",
    "A masked field (`•••`) was moved. Set a new value, or leave the field in its place.",
  );
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
