import { createRoute, z } from "@hono/zod-openapi";
import {
  type Call,
  type CallRequest,
  type Json,
  type Principal,
  planCapability,
  readPlan,
  type Undo,
} from "@paraph/core";
import type { IntentRecord } from "@paraph/core/intents";
import type { ParaphService } from "../../services/paraph-service.ts";
import { maskForReader } from "../../visibility/mask-for-reader.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { findCall, findPlan, requireCapabilityScope } from "../middleware/authorization.ts";
import { readTrace, toRequestMetadata } from "../middleware/request-metadata.ts";
import { waitAsPreferred } from "../middleware/wait-as-preferred.ts";
import { HttpProblem, unknownCall } from "../problem.ts";
import { callSchema, newPurposeSchema, requirementsSchema } from "../schemas/call.ts";
import {
  callHeaders,
  callRequestHeaders,
  callRequestProblems,
  preferSchema,
  waitHeaders,
} from "../schemas/call-request.ts";
import {
  bodyProblems,
  callIdSchema,
  requireAnyScope,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { type sealedIntentSchema, toSealedIntent } from "../schemas/intent-record.ts";
import {
  previewResultSchema as foreseenSchema,
  newPlanSchema,
  newPreviewSchema,
  planSchema,
} from "../schemas/plan.ts";
import { canRequestUndo, toCallView } from "../views/call-view.ts";
import { omitUndefined } from "../views/omit-undefined.ts";
import { toPlanView } from "../views/plan-view.ts";
import { toPreviewResult } from "../views/preview-result.ts";

const createPlan = createRoute({
  operationId: "createPlan",
  method: "post",
  path: "/v1/plans",
  tags: ["Plans"],
  summary: "Request several steps as one call",
  description:
    "A plan is a call of `plan.apply`. Paraph rules on it, previews it and asks approvers once for the whole plan. Then it performs each step as a call with its own receipt. Everything that applies to a call applies to a plan.",
  security: requireAnyScope("calls", "admin"),
  request: {
    headers: callRequestHeaders,
    body: { required: true, content: { "application/json": { schema: newPlanSchema } } },
  },
  responses: {
    200: { ...toJsonResponse(planSchema, "The plan is closed; `outcome` says how."), headers: callHeaders },
    202: {
      ...toJsonResponse(planSchema, "The plan is open; `waiting` says what it waits for."),
      headers: callHeaders,
    },
    ...toProblemResponses(...callRequestProblems, "intent-changed"),
  },
});

const getPlan = createRoute({
  operationId: "getPlan",
  method: "get",
  path: "/v1/plans/{plan}",
  tags: ["Plans"],
  summary: "Get a plan and its steps, or wait for it",
  security: requireAnyScope("read", "calls", "admin"),
  request: { params: z.object({ plan: callIdSchema }), headers: z.object({ prefer: preferSchema }) },
  responses: {
    200: { ...toJsonResponse(planSchema, "The plan is closed; `outcome` says how."), headers: waitHeaders },
    202: {
      ...toJsonResponse(planSchema, "The plan is open; `waiting` says what it waits for."),
      headers: waitHeaders,
    },
    ...toProblemResponses("not-authenticated", "scope-missing", "plan-unknown"),
  },
});

const createPreview = createRoute({
  operationId: "createPreview",
  method: "post",
  path: "/v1/previews",
  tags: ["Plans"],
  summary: "Preview the changes and the ruling of a call or plan",
  description: "Creates no call, asks no approver and uses no idempotency key.",
  security: requireAnyScope("calls", "admin"),
  request: { body: { required: true, content: { "application/json": { schema: newPreviewSchema } } } },
  responses: {
    200: toJsonResponse(foreseenSchema, "The preview and the ruling for the current state."),
    ...toProblemResponses(
      ...bodyProblems,
      "capability-unknown",
      "capability-unavailable",
      "input-invalid",
      "frozen",
    ),
  },
});

const undoCall = createRoute({
  operationId: "undoCall",
  method: "post",
  path: "/v1/calls/{call}/undo",
  tags: ["Calls"],
  summary: "Undo a call",
  description:
    "Requests the call's undo as a new call of yours, with its own ruling, preview and approval. A repeated request returns the same call, unless the first had no effect. If the input of the undo contains values that are hidden from you, only the requester can request it.",
  security: requireAnyScope("calls", "admin"),
  request: {
    params: z.object({ call: callIdSchema }),
    headers: z.object({ prefer: preferSchema }),
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({
              purpose: newPurposeSchema.optional(),
              requirements: requirementsSchema.optional(),
            })
            .openapi("NewUndo"),
        },
      },
    },
  },
  responses: {
    200: { ...toJsonResponse(callSchema, "The new call, closed."), headers: callHeaders },
    202: { ...toJsonResponse(callSchema, "The new call, open."), headers: callHeaders },
    ...toProblemResponses(...callRequestProblems, "call-unknown", "no-undo", "call-erased", "already-undone"),
  },
});

export const planOperations = [createPlan, getPlan, createPreview, undoCall];

export function createPlanRoutes(parts: RouteDeps) {
  const { service } = parts;
  return createRouter()
    .openapi(createPlan, async (c) => {
      const principal = c.get("principal");
      const { plan, intent, ...said } = c.req.valid("json");
      const input = parsePlan(plan);
      requireCapabilityScope(c, planCapability, input);
      const words = intent && requireIntent(principal, input, intent, service);
      const { call, known, joinedDuplicate } = await service.requestCall({
        principal,
        capability: planCapability,
        input,
        ...(words && { words }),
        ...toRequestMetadata(said, c.req.valid("header")["idempotency-key"]),
        ...readTrace(c),
      });
      const now = await waitAsPreferred(c, call, parts);
      c.header("location", `/v1/plans/${call.call}`);
      if (known && !joinedDuplicate) c.header("idempotent-replay", "true");
      const view = {
        ...(await toPlanView(now, principal, service)),
        ...(joinedDuplicate && { joinedDuplicate: true as const }),
      };
      return c.json(view, now.state === "closed" ? 200 : 202);
    })
    .openapi(getPlan, async (c) => {
      const principal = c.get("principal");
      const call = await findPlan(c, service, c.req.valid("param").plan);
      const now = await waitAsPreferred(c, call, parts);
      return c.json(await toPlanView(now, principal, service), now.state === "closed" ? 200 : 202);
    })
    .openapi(createPreview, async (c) => {
      const request = { principal: c.get("principal"), ...toPreviewRequest(c.req.valid("json")) };
      requireCapabilityScope(c, request.capability, request.input);
      return c.json(toPreviewResult(request.capability, await service.previewCall(request)), 200);
    })
    .openapi(undoCall, async (c) => {
      const principal = c.get("principal");
      const found = await findCall(c, service, c.req.valid("param").call);
      if (!found) throw unknownCall();
      const offered = found.payloads.undo?.value as unknown as Undo | undefined;
      if (offered) requireCapabilityScope(c, offered.capability, offered.input);
      await rejectHiddenUndo(principal, found, service);
      const { purpose, requirements } = toRequestMetadata(c.req.valid("json"));
      const { call, known } = await service.actions.undo(found, {
        principal,
        ...(purpose !== undefined && { purpose }),
        ...(requirements && { requirements }),
      });
      const now = await waitAsPreferred(c, call, parts);
      c.header("location", `/v1/calls/${call.call}`);
      if (known) c.header("idempotent-replay", "true");
      return c.json(await toCallView(now, principal, service), now.state === "closed" ? 200 : 202);
    });
}

/**
 * [TRUST 16] Rejects an undo whose input contains values that are hidden from this reader. Otherwise the reader, as the
 * requester of the undo, would see these values.
 */
async function rejectHiddenUndo(reader: Principal, call: Call, service: ParaphService): Promise<void> {
  const shown = await maskForReader(reader, call, service);
  if (!call.payloads.undo || canRequestUndo(call, shown)) return;
  throw new HttpProblem(
    "no-undo",
    "The undo contains values that are hidden from you. Ask the requester to undo the call.",
  );
}

/**
 * [TRUST 35] Returns the words behind a plan. Rejects words that this deployment did not understand as this plan, so that
 * a record never blames words for a plan that they did not ask for.
 */
function requireIntent(
  principal: Principal,
  plan: Json,
  intent: z.output<typeof sealedIntentSchema>,
  service: ParaphService,
): IntentRecord {
  const record = service.intents.openRecord(principal, plan, toSealedIntent(intent));
  if (record) return record;
  throw new HttpProblem(
    "intent-changed",
    "`intent` does not belong to this plan and to you. Send both as `POST /v1/intents` returned them, or send the plan without `intent`.",
  );
}

/** Returns the plan in the form that a call request uses. It accepts a plan or a tool chain. */
function parsePlan(written: unknown): Json {
  return JSON.parse(JSON.stringify(readPlan(written as Json))) as Json;
}

function toPreviewRequest({
  capability,
  input,
  plan,
  requirements,
}: z.output<typeof newPreviewSchema>): Pick<CallRequest, "capability" | "input" | "requirements"> {
  const wanted =
    plan === undefined
      ? { capability: capability ?? "", input: input as Json }
      : { capability: planCapability, input: parsePlan(plan) };
  return { ...wanted, ...(requirements && { requirements: omitUndefined(requirements) }) };
}
