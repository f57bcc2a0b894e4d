import { createRoute, z } from "@hono/zod-openapi";
import { type Json, outcomeKinds } from "@paraph/core";
import type { Context } from "hono";
import type { CallFilter } from "../../services/paraph-service.ts";
import { createRouter, type Env, type RouteDeps } from "../context.ts";
import { requireStillAllowed } from "../middleware/authenticate.ts";
import { findCall, requireCapabilityScope } from "../middleware/authorization.ts";
import { readTrace, toRequestMetadata } from "../middleware/request-metadata.ts";
import { waitAsPreferred } from "../middleware/wait-as-preferred.ts";
import { HttpProblem, unknownCall } from "../problem.ts";
import { callSchema, callSummarySchema, correlationSchema, newCallSchema } from "../schemas/call.ts";
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
  freezeIdSchema,
  pageLimitSchema,
  requireAnyScope,
  timeSchema,
  toJsonResponse,
  toProblemResponses,
  visibleAsciiSchema,
} from "../schemas/common.ts";
import { callColumns } from "../streams/call-csv.ts";
import { toCsvStream, toDownload } from "../streams/csv.ts";
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
    "People see every call of the tenant. Agents and services see their own. A page reads 5,000 calls at most, so it can have fewer than `limit`, or none, and still a `next`. `format=csv` streams all calls that match the filters, as RFC 4180. A value that a spreadsheet would read as a formula begins with an apostrophe.",
  security: requireAnyScope("read"),
  request: {
    query: z.object({
      q: z.string().min(1).max(200).optional().openapi({
        description:
          "The id or the idempotency key of a call, the id of one of its approvals, or a part of a headline, of a capability's name or of the id of the requester or the person it acts for. Letter case does not matter. Masked values never match.",
        example: "jon ash",
      }),
      principal: z.string().min(1).max(255).optional().openapi({ description: "The requester." }),
      session: visibleAsciiSchema.optional().openapi({ description: "The session of the agent." }),
      thread: visibleAsciiSchema.optional().openapi({ description: "The thread of a session." }),
      correlation: correlationSchema.optional(),
      since: timeSchema.optional().openapi({ description: "Created at this time or later." }),
      until: timeSchema.optional().openapi({ description: "Created before this time." }),
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
      heldBy: freezeIdSchema
        .optional()
        .openapi({ description: "Only open calls that this freeze holds. `GET /v1/freezes` lists freezes." }),
      steps: z
        .enum(["true", "false"])
        .optional()
        .openapi({ description: "`false` leaves out calls that are steps of another call." }),
      before: callIdSchema
        .optional()
        .openapi({ description: "Only calls older than this one. Use the `next` of the previous page." }),
      order: z.enum(["created", "closed"]).optional().openapi({
        description:
          "`closed`: the call that closed last comes first, on one page. The filters apply to the last 100 calls that closed. Not with `q`, `before` or `format=csv`.",
      }),
      limit: pageLimitSchema,
      format: z.enum(["json", "csv"]).default("json"),
    }),
  },
  responses: {
    200: {
      description: "A page of calls, or all calls as CSV.",
      content: {
        "application/json": {
          schema: z.object({ calls: z.array(callSummarySchema), next: callIdSchema.optional() }),
        },
        "text/csv": { schema: z.string() },
      },
    },
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

/** The number of calls that an export reads per query. */
const exportBatchSize = 1_000;

export function createCallRoutes(parts: RouteDeps) {
  const { service, stopping, log } = parts;
  const toPageLoader =
    (c: Context<Env>, filter: CallFilter) => async (page: Partial<Pick<CallFilter, "before" | "limit">>) => {
      const principal = c.get("principal");
      const { calls, next } = await service.listCalls(principal, { ...filter, ...page });
      const views = calls.map((call) =>
        toCallSummaryView(call, service.findCapability(principal.tenant, call.capability)?.contract),
      );
      return { calls: views, ...(next !== undefined && { next }) };
    };

  /** Yields all matching calls, page by page. [TRUST 21] A revoked key ends the export. */
  async function* exportCalls(
    c: Context<Env>,
    loadPage: ReturnType<typeof toPageLoader>,
    signal: AbortSignal,
  ) {
    for (let before: string | undefined; ; ) {
      const page = await loadPage({ ...(before !== undefined && { before }), limit: exportBatchSize });
      yield* page.calls;
      before = page.next;
      if (before === undefined) return;
      signal.throwIfAborted();
      await requireStillAllowed(c, service);
    }
  }

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
      const { format, resolved, steps, stuck, since, until, ...filter } = c.req.valid("query");
      const { order, q, before } = filter;
      if (order === "closed" && (q !== undefined || before !== undefined || format === "csv"))
        throw new HttpProblem(
          "parameter-invalid",
          "`order=closed` is one page. Leave out `q`, `before` and `format`.",
        );
      const loadPage = toPageLoader(c, {
        ...omitUndefined(filter),
        ...(since !== undefined && { since: Date.parse(since) }),
        ...(until !== undefined && { until: Date.parse(until) }),
        ...(resolved !== undefined && { resolved: resolved === "true" }),
        ...(stuck !== undefined && { stuck: true }),
        ...(steps !== undefined && { steps: steps === "true" }),
      });
      if (format === "json") return c.json(await loadPage({}), 200);
      const signal = AbortSignal.any([c.req.raw.signal, stopping]);
      const failed = () => log({ level: "error", code: "stream-failed", request: c.get("request") });
      const body = toCsvStream(callColumns, exportCalls(c, loadPage, signal), failed);
      return toDownload(body, "text/csv; charset=utf-8", "calls.csv") as never;
    })
    .openapi(getCall, async (c) => {
      const principal = c.get("principal");
      const call = await findCall(c, service, c.req.valid("param").call);
      if (!call) throw unknownCall();
      const now = await waitAsPreferred(c, call, parts);
      return c.json(await toCallView(now, principal, service), now.state === "closed" ? 200 : 202);
    });
}
