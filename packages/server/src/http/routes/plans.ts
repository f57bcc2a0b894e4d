import { createRoute, z } from "@hono/zod-openapi";
import {
  type Call,
  type CallRequest,
  type Evaluated,
  type Json,
  type Principal,
  planCapability,
  readPlan,
  sameJson,
  type Undo,
} from "@paraph/core";
import type { Service } from "../../services/types/service-types.ts";
import { type Parts, router } from "../context.ts";
import { findCall, findPlan, refuseOutOfReach } from "../middleware/authorization.ts";
import { asked, traced } from "../middleware/request-metadata.ts";
import { afterWait } from "../middleware/wait.ts";
import { Problem, unknownCall } from "../problem.ts";
import { callView as callSchema, requirements, saidPurpose } from "../schemas/call.ts";
import { callId, json, needs, problemResponses, sendingProblems } from "../schemas/common.ts";
import { opened, placing, placingProblems, prefer, waited } from "../schemas/placing.ts";
import {
  type ForeseenView,
  foreseen as foreseenSchema,
  newPlan,
  newPreview,
  planView as planSchema,
} from "../schemas/plan.ts";
import { callView, contractOf } from "../views/call-view.ts";
import { sightOf } from "../views/field-visibility.ts";
import { shownTo } from "../views/mask.ts";
import { defined } from "../views/omit-undefined.ts";
import { planView } from "../views/plan-view.ts";
import { guardView } from "../views/waiting.ts";

const createPlan = createRoute({
  operationId: "createPlan",
  method: "post",
  path: "/v1/plans",
  tags: ["Plans"],
  summary: "Ask for several steps as one",
  description:
    "A plan is a call of `plan.apply`: ruled on and previewed as a whole, asked about once, then its steps are taken, each a call with a receipt of its own. What holds for a call holds for it.",
  security: needs("calls", "admin"),
  request: {
    headers: placing,
    body: { required: true, content: { "application/json": { schema: newPlan } } },
  },
  responses: {
    200: { ...json(planSchema, "The plan is over; `outcome` says how."), headers: opened },
    202: { ...json(planSchema, "The plan is open; `waiting` says what it waits for."), headers: opened },
    ...problemResponses(...placingProblems),
  },
});

const getPlan = createRoute({
  operationId: "getPlan",
  method: "get",
  path: "/v1/plans/{plan}",
  tags: ["Plans"],
  summary: "Look at a plan and its steps, or wait for it",
  security: needs("read", "calls", "admin"),
  request: { params: z.object({ plan: callId }), headers: z.object({ prefer }) },
  responses: {
    200: { ...json(planSchema, "The plan is over; `outcome` says how."), headers: waited },
    202: { ...json(planSchema, "The plan is open; `waiting` says what it waits for."), headers: waited },
    ...problemResponses("not-authenticated", "scope-missing", "plan-unknown"),
  },
});

const createPreview = createRoute({
  operationId: "createPreview",
  method: "post",
  path: "/v1/previews",
  tags: ["Plans"],
  summary: "See what a call or a plan would change, and what policy would say",
  description: "Nothing is written, nobody is asked, and no key is used up: it is no call.",
  security: needs("calls", "admin"),
  request: { body: { required: true, content: { "application/json": { schema: newPreview } } } },
  responses: {
    200: json(foreseenSchema, "What would become of it, as things stand now."),
    ...problemResponses(
      ...sendingProblems,
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
  summary: "Take back what a call did",
  description:
    "Places what the call offers as its way back, as a new call of yours, ruled on, previewed and asked about like any. Asked twice, it is one call, unless the first came to nothing. Where its input would show what is hidden from you, only who asked can.",
  security: needs("calls", "admin"),
  request: {
    params: z.object({ call: callId }),
    headers: z.object({ prefer }),
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({ purpose: saidPurpose.optional(), requirements: requirements.optional() })
            .openapi("NewUndo"),
        },
      },
    },
  },
  responses: {
    200: { ...json(callSchema, "The new call, closed."), headers: opened },
    202: { ...json(callSchema, "The new call, open."), headers: opened },
    ...problemResponses(...placingProblems, "call-unknown", "no-undo", "already-undone"),
  },
});

export const planOperations = [createPlan, getPlan, createPreview, undoCall];

export function planRoutes(parts: Parts) {
  const { service } = parts;
  return router()
    .openapi(createPlan, async (c) => {
      const principal = c.get("principal");
      const { plan, ...said } = c.req.valid("json");
      const input = planIn(plan);
      refuseOutOfReach(c, planCapability, input);
      const { call, known, joinedDuplicate } = await service.call({
        principal,
        capability: planCapability,
        input,
        ...asked(said, c.req.valid("header")["idempotency-key"]),
        ...traced(c),
      });
      const now = await afterWait(c, call, parts);
      c.header("location", `/v1/plans/${call.call}`);
      if (known && !joinedDuplicate) c.header("idempotent-replay", "true");
      const view = {
        ...(await planView(now, principal, service)),
        ...(joinedDuplicate && { joined: true as const }),
      };
      return c.json(view, now.state === "closed" ? 200 : 202);
    })
    .openapi(getPlan, async (c) => {
      const principal = c.get("principal");
      const call = await findPlan(c, service, c.req.valid("param").plan);
      const now = await afterWait(c, call, parts);
      return c.json(await planView(now, principal, service), now.state === "closed" ? 200 : 202);
    })
    .openapi(createPreview, async (c) => {
      const request = { principal: c.get("principal"), ...wantedIn(c.req.valid("json")) };
      refuseOutOfReach(c, request.capability, request.input);
      return c.json(foreseenView(request.capability, await service.preview(request)), 200);
    })
    .openapi(undoCall, async (c) => {
      const principal = c.get("principal");
      const found = await findCall(c, service, c.req.valid("param").call);
      if (!found) throw unknownCall();
      const offered = found.payloads.undo?.value as unknown as Undo | undefined;
      if (offered) refuseOutOfReach(c, offered.capability, offered.input);
      await refuseHidden(principal, found, service);
      const { purpose, requirements } = asked(c.req.valid("json"));
      const { call, known } = await service.handling.undo(found, {
        principal,
        ...(purpose !== undefined && { purpose }),
        ...(requirements && { requirements }),
      });
      const now = await afterWait(c, call, parts);
      c.header("location", `/v1/calls/${call.call}`);
      if (known) c.header("idempotent-replay", "true");
      return c.json(await callView(now, principal, service), now.state === "closed" ? 200 : 202);
    });
}

/** [TRUST 16] Who asks for a call sees its input: the way back must not show what is hidden from them. */
async function refuseHidden(reader: Principal, call: Call, service: Service): Promise<void> {
  const sight = await sightOf(reader, call, service);
  const { undo } = shownTo(reader, call, contractOf(call, service), sight).payloads;
  if (sameJson(undo, call.payloads.undo?.value)) return;
  throw new Problem("no-undo", "It holds what is hidden from you: let who asked for it take it back.");
}

/** The plan as it will be asked for, whichever way it was written. */
function planIn(written: unknown): Json {
  return JSON.parse(JSON.stringify(readPlan(written as Json))) as Json;
}

function wantedIn({
  capability,
  input,
  plan,
  requirements,
}: z.output<typeof newPreview>): Pick<CallRequest, "capability" | "input" | "requirements"> {
  const wanted =
    plan === undefined
      ? { capability: capability ?? "", input: input as Json }
      : { capability: planCapability, input: planIn(plan) };
  return { ...wanted, ...(requirements && { requirements: defined(requirements) }) };
}

function foreseenView(capability: string, considered: Evaluated): ForeseenView {
  if (considered.kind === "unpreviewed") {
    const { code, message } = considered.fault;
    return {
      capability,
      ruling: "block",
      sentence: "What it would change cannot be told.",
      policies: [],
      previewed: false,
      preview: null,
      fault: { code, message },
    };
  }
  const { ruling } = considered.judged;
  const preview = considered.kind === "ruled" ? considered.preview : undefined;
  return {
    capability,
    ruling: ruling.kind,
    sentence: ruling.sentence,
    policies: [...ruling.policies],
    ...(ruling.kind === "ask" && { guards: ruling.guards.map(guardView) }),
    ...(ruling.kind === "check" && { checks: [...ruling.checks] }),
    previewed: preview !== undefined,
    preview: (preview ?? null) as ForeseenView["preview"],
  };
}
