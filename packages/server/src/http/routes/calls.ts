import { createRoute, z } from "@hono/zod-openapi";
import { type Json, outcomeKinds } from "@paraph/core";
import { type Parts, router } from "../context.ts";
import { findCall, refuseOutOfReach } from "../middleware/authorization.ts";
import { asked, traced } from "../middleware/request-metadata.ts";
import { afterWait } from "../middleware/wait.ts";
import { unknownCall } from "../problem.ts";
import { callView as callSchema, callSummary, newCall } from "../schemas/call.ts";
import { callId, capabilityName, json, limit, needs, problemResponses } from "../schemas/common.ts";
import { opened, placing, placingProblems, prefer, waited } from "../schemas/placing.ts";
import { callSummaryView, callView } from "../views/call-view.ts";
import { defined } from "../views/omit-undefined.ts";

const createCall = createRoute({
  operationId: "createCall",
  method: "post",
  path: "/v1/calls",
  tags: ["Calls"],
  summary: "Ask for a capability to be used",
  description:
    "The call is checked against its contract and policy, previewed, and then refused, performed, or put before people. A refusal is an answer, not a problem: look at `outcome`. What is accepted happens whether or not you stay.",
  security: needs("calls", "admin"),
  request: {
    headers: placing,
    body: { required: true, content: { "application/json": { schema: newCall } } },
  },
  responses: {
    200: { ...json(callSchema, "The call is closed; `outcome` says how."), headers: opened },
    202: {
      ...json(callSchema, "The call is open; `waiting` says what it waits for and how to wait."),
      headers: opened,
    },
    ...problemResponses(...placingProblems),
  },
});

const listCalls = createRoute({
  operationId: "listCalls",
  method: "get",
  path: "/v1/calls",
  tags: ["Calls"],
  summary: "List calls, newest first",
  description: "A person sees every call of the tenant, anyone else their own.",
  security: needs("read"),
  request: {
    query: z.object({
      state: z.enum(["open", "closed"]).optional(),
      capability: capabilityName.optional(),
      outcome: z.enum(outcomeKinds).optional(),
      resolved: z.enum(["true", "false"]).optional().openapi({
        description: "Whether somebody has found out about an unknown outcome.",
      }),
      stuck: z.enum(["true"]).optional().openapi({
        description:
          "Only open calls whose segments keep failing. `POST /v1/calls/{call}/retry` lets one go on.",
      }),
      steps: z
        .enum(["true", "false"])
        .optional()
        .openapi({ description: "`false`: without calls that are steps of another." }),
      before: callId
        .optional()
        .openapi({ description: "Calls older than this one: `next` of the page before." }),
      limit,
    }),
  },
  responses: {
    200: json(z.object({ calls: z.array(callSummary), next: callId.optional() }), "A page of calls."),
    ...problemResponses("parameter-invalid", "not-authenticated", "scope-missing"),
  },
});

const getCall = createRoute({
  operationId: "getCall",
  method: "get",
  path: "/v1/calls/{call}",
  tags: ["Calls"],
  summary: "Look at a call, or wait for it",
  security: needs("read", "calls", "admin"),
  request: { params: z.object({ call: callId }), headers: z.object({ prefer }) },
  responses: {
    200: { ...json(callSchema, "The call is closed; `outcome` says how."), headers: waited },
    202: { ...json(callSchema, "The call is open; `waiting` says what it waits for."), headers: waited },
    ...problemResponses("not-authenticated", "scope-missing", "call-unknown"),
  },
});

export const callOperations = [createCall, listCalls, getCall];

export function callRoutes(parts: Parts) {
  const { service } = parts;
  return router()
    .openapi(createCall, async (c) => {
      const principal = c.get("principal");
      const { capability, input, ...said } = c.req.valid("json");
      refuseOutOfReach(c, capability, input as Json);
      const { call, known, joinedDuplicate } = await service.call({
        principal,
        capability,
        input: input as Json,
        ...asked(said, c.req.valid("header")["idempotency-key"]),
        ...traced(c),
      });
      const now = await afterWait(c, call, parts);
      c.header("location", `/v1/calls/${call.call}`);
      if (known && !joinedDuplicate) c.header("idempotent-replay", "true");
      const view = {
        ...(await callView(now, principal, service)),
        ...(joinedDuplicate && { joined: true as const }),
      };
      return c.json(view, now.state === "closed" ? 200 : 202);
    })
    .openapi(listCalls, async (c) => {
      const { resolved, steps, stuck, ...filter } = c.req.valid("query");
      const calls = await service.list(c.get("principal"), {
        ...defined(filter),
        ...(resolved !== undefined && { resolved: resolved === "true" }),
        ...(stuck !== undefined && { stuck: true }),
        ...(steps !== undefined && { steps: steps === "true" }),
      });
      const next = calls.length === filter.limit ? calls.at(-1)?.call : undefined;
      return c.json({ calls: calls.map(callSummaryView), ...(next !== undefined && { next }) }, 200);
    })
    .openapi(getCall, async (c) => {
      const principal = c.get("principal");
      const call = await findCall(c, service, c.req.valid("param").call);
      if (!call) throw unknownCall();
      const now = await afterWait(c, call, parts);
      return c.json(await callView(now, principal, service), now.state === "closed" ? 200 : 202);
    });
}
