import { createRoute, z } from "@hono/zod-openapi";
import { type Json, outcomeKinds } from "@paraph/core";
import { createRouter, type RouteDeps } from "../context.ts";
import { findCall, requireCapabilityScope } from "../middleware/authorization.ts";
import { readTrace, toRequestMetadata } from "../middleware/request-metadata.ts";
import { waitAsPreferred } from "../middleware/wait-as-preferred.ts";
import { unknownCall } from "../problem.ts";
import { callSchema, callSummarySchema, newCallSchema } from "../schemas/call.ts";
import {
  callHeaders,
  callRequestHeaders,
  callRequestProblems,
  preferSchema,
  waitHeaders,
} from "../schemas/call-request.ts";
import {
  callIdSchema,
  capabilityNameSchema,
  pageLimitSchema,
  requireAnyScope,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { toCallSummaryView, toCallView } from "../views/call-view.ts";
import { omitUndefined } from "../views/omit-undefined.ts";

const createCall = createRoute({
  operationId: "createCall",
  method: "post",
  path: "/v1/calls",
  tags: ["Calls"],
  summary: "Request a call",
  description:
    "Paraph validates the input, rules on the call and previews it. Then it refuses the call, performs it or asks approvers. A refusal is a normal response: read `outcome`. An accepted call continues if you disconnect.",
  security: requireAnyScope("calls", "admin"),
  request: {
    headers: callRequestHeaders,
    body: { required: true, content: { "application/json": { schema: newCallSchema } } },
  },
  responses: {
    200: { ...toJsonResponse(callSchema, "The call is closed; `outcome` says how."), headers: callHeaders },
    202: {
      ...toJsonResponse(callSchema, "The call is open; `waiting` says why and how to wait."),
      headers: callHeaders,
    },
    ...toProblemResponses(...callRequestProblems),
  },
});

const listCalls = createRoute({
  operationId: "listCalls",
  method: "get",
  path: "/v1/calls",
  tags: ["Calls"],
  summary: "List calls, newest first",
  description:
    "People see every call of the tenant. Agents and services see their own. A page reads 5,000 calls at most, so it can have fewer than `limit`, or none, and still a `next`.",
  security: requireAnyScope("read"),
  request: {
    query: z.object({
      state: z.enum(["open", "closed"]).optional(),
      capability: capabilityNameSchema.optional(),
      outcome: z.enum(outcomeKinds).optional(),
      resolved: z.enum(["true", "false"]).optional().openapi({
        description: "Whether an unknown outcome has a resolution.",
      }),
      stuck: z.enum(["true"]).optional().openapi({
        description:
          "Only open calls whose segments keep failing. `POST /v1/calls/{call}/retry` continues one.",
      }),
      steps: z
        .enum(["true", "false"])
        .optional()
        .openapi({ description: "`false` leaves out calls that are steps of another call." }),
      before: callIdSchema
        .optional()
        .openapi({ description: "Only calls older than this one. Use the `next` of the previous page." }),
      limit: pageLimitSchema,
    }),
  },
  responses: {
    200: toJsonResponse(
      z.object({ calls: z.array(callSummarySchema), next: callIdSchema.optional() }),
      "A page of calls.",
    ),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing"),
  },
});

const getCall = createRoute({
  operationId: "getCall",
  method: "get",
  path: "/v1/calls/{call}",
  tags: ["Calls"],
  summary: "Get a call, or wait for it",
  security: requireAnyScope("read", "calls", "admin"),
  request: { params: z.object({ call: callIdSchema }), headers: z.object({ prefer: preferSchema }) },
  responses: {
    200: { ...toJsonResponse(callSchema, "The call is closed; `outcome` says how."), headers: waitHeaders },
    202: {
      ...toJsonResponse(callSchema, "The call is open; `waiting` says what it waits for."),
      headers: waitHeaders,
    },
    ...toProblemResponses("not-authenticated", "scope-missing", "call-unknown"),
  },
});

export const callOperations = [createCall, listCalls, getCall];

export function createCallRoutes(parts: RouteDeps) {
  const { service } = parts;
  return createRouter()
    .openapi(createCall, async (c) => {
      const principal = c.get("principal");
      const { capability, input, ...said } = c.req.valid("json");
      requireCapabilityScope(c, capability, input as Json);
      const { call, known, joinedDuplicate } = await service.requestCall({
        principal,
        capability,
        input: input as Json,
        ...toRequestMetadata(said, c.req.valid("header")["idempotency-key"]),
        ...readTrace(c),
      });
      const now = await waitAsPreferred(c, call, parts);
      c.header("location", `/v1/calls/${call.call}`);
      if (known && !joinedDuplicate) c.header("idempotent-replay", "true");
      const view = {
        ...(await toCallView(now, principal, service)),
        ...(joinedDuplicate && { joinedDuplicate: true as const }),
      };
      return c.json(view, now.state === "closed" ? 200 : 202);
    })
    .openapi(listCalls, async (c) => {
      const { resolved, steps, stuck, ...filter } = c.req.valid("query");
      const principal = c.get("principal");
      const { calls, next } = await service.listCalls(principal, {
        ...omitUndefined(filter),
        ...(resolved !== undefined && { resolved: resolved === "true" }),
        ...(stuck !== undefined && { stuck: true }),
        ...(steps !== undefined && { steps: steps === "true" }),
      });
      const views = calls.map((call) =>
        toCallSummaryView(call, service.findCapability(principal.tenant, call.capability)?.contract),
      );
      return c.json({ calls: views, ...(next !== undefined && { next }) }, 200);
    })
    .openapi(getCall, async (c) => {
      const principal = c.get("principal");
      const call = await findCall(c, service, c.req.valid("param").call);
      if (!call) throw unknownCall();
      const now = await waitAsPreferred(c, call, parts);
      return c.json(await toCallView(now, principal, service), now.state === "closed" ? 200 : 202);
    });
}
