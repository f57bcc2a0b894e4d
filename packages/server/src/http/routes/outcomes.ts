import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { createRouter, type Env, type RouteDeps } from "../context.ts";
import { findCall, requireCapabilityScope } from "../middleware/authorization.ts";
import { unknownCall } from "../problem.ts";
import { callSchema, resolutionFindings } from "../schemas/call.ts";
import {
  bodyProblems,
  callIdSchema,
  requireAnyScope,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { toCallView } from "../views/call-view.ts";

const params = z.object({ call: callIdSchema });
const commonProblems = [...bodyProblems, "call-unknown"] as const;
const emptyBody = { required: true, content: { "application/json": { schema: z.strictObject({}) } } };

const withdrawCall = createRoute({
  operationId: "withdrawCall",
  method: "post",
  path: "/v1/calls/{call}/withdrawal",
  tags: ["Calls"],
  summary: "Withdraw a call before it acts",
  description:
    "For the requester, the requester's owner and the person that the requester acts for. The outcome is then cancelled.",
  security: requireAnyScope("calls", "admin", "decide"),
  request: {
    params,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({ reason: z.string().max(10_000).optional() }).openapi("Withdrawal"),
        },
      },
    },
  },
  responses: {
    200: toJsonResponse(callSchema, "The call, cancelled."),
    ...toProblemResponses(...commonProblems, "call-closed", "call-acting"),
  },
});

const resolveCall = createRoute({
  operationId: "resolveCall",
  method: "post",
  path: "/v1/calls/{call}/resolution",
  tags: ["Calls"],
  summary: "Resolve a call whose outcome is unknown",
  description:
    "For people. Paraph signs one resolution in addition to the receipt. The receipt does not change. Paraph then releases the call's locks.",
  security: requireAnyScope("decide"),
  request: {
    params,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({
              finding: z.enum(resolutionFindings),
              reason: z.string().min(1).max(10_000).openapi({ description: "How you verified it." }),
            })
            .openapi("NewResolution"),
        },
      },
    },
  },
  responses: {
    200: toJsonResponse(callSchema, "The call with its resolution."),
    ...toProblemResponses(...commonProblems, "approver-not-allowed", "not-unknown", "input-invalid"),
  },
});

const probeCall = createRoute({
  operationId: "probeCall",
  method: "post",
  path: "/v1/calls/{call}/probe",
  tags: ["Calls"],
  summary: "Probe the external system again for the outcome of a call",
  description: "If the system cannot tell, `found` is `unsure` and nothing changes.",
  security: requireAnyScope("decide", "calls", "admin"),
  request: { params, body: emptyBody },
  responses: {
    200: toJsonResponse(
      z.object({ found: z.enum([...resolutionFindings, "unsure"]), call: callSchema }),
      "The result of the probe, and the call.",
    ),
    ...toProblemResponses(...commonProblems, "not-unknown"),
  },
});

const retryCall = createRoute({
  operationId: "retryCall",
  method: "post",
  path: "/v1/calls/{call}/retry",
  tags: ["Calls"],
  summary: "Retry a call",
  description:
    "An open call that is `stuck` continues from its current state. An unknown outcome with the resolution `not-happened` becomes a new call by the same principal with the same input, and policy rules on it again. The steps of a plan are retried individually. A repeated request returns the same call.",
  security: requireAnyScope("decide", "calls", "admin"),
  request: { params, body: emptyBody },
  responses: {
    200: toJsonResponse(callSchema, "The call, closed."),
    202: toJsonResponse(callSchema, "The call, open."),
    ...toProblemResponses(
      ...commonProblems,
      "approver-not-allowed",
      "not-unknown",
      "not-retryable",
      "already-undone",
      "capability-unknown",
      "key-reused",
      "input-invalid",
      "call-erased",
      "frozen",
      "limit-reached",
      "policy-unsettled",
    ),
  },
});

export const outcomeOperations = [withdrawCall, resolveCall, probeCall, retryCall];

export function createOutcomeRoutes({ service }: RouteDeps) {
  const { actions } = service;
  const seen = async (c: Context<Env>, id: string) => {
    const call = await findCall(c, service, id);
    if (!call) throw unknownCall();
    // [TRUST 21] If the requester uses a narrowed key, the key needs the same scopes as at admission.
    if (call.principal.id === c.get("principal").id)
      requireCapabilityScope(c, call.capability, call.payloads.input?.value);
    return call;
  };
  return createRouter()
    .openapi(withdrawCall, async (c) => {
      const by = c.get("principal");
      const { reason } = c.req.valid("json");
      const { call } = await seen(c, c.req.valid("param").call);
      const ended = await actions.withdraw({ call, by, ...(reason !== undefined && { reason }) });
      return c.json(await toCallView(ended, by, service), 200);
    })
    .openapi(resolveCall, async (c) => {
      const by = c.get("principal");
      const { call } = await seen(c, c.req.valid("param").call);
      const resolved = await actions.resolve({ call, by, ...c.req.valid("json") });
      return c.json(await toCallView(resolved, by, service), 200);
    })
    .openapi(probeCall, async (c) => {
      const by = c.get("principal");
      const { call } = await seen(c, c.req.valid("param").call);
      const { found, call: now } = await actions.probe({ call, by });
      return c.json({ found, call: await toCallView(now, by, service) }, 200);
    })
    .openapi(retryCall, async (c) => {
      const by = c.get("principal");
      const { call } = await actions.retry(await seen(c, c.req.valid("param").call), by);
      return c.json(await toCallView(call, by, service), call.state === "closed" ? 200 : 202);
    });
}
