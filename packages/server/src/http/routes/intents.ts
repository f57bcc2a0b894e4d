import { createRoute } from "@hono/zod-openapi";
import { digest, fingerprint, planCapability } from "@paraph/core";
import type { UnderstoodIntent } from "../../services/intents.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireCapabilityScope } from "../middleware/authorization.ts";
import { readTrace, toRequestMetadata } from "../middleware/request-metadata.ts";
import { waitAsPreferred } from "../middleware/wait-as-preferred.ts";
import { callRequestHeaders, callRequestProblems } from "../schemas/call-request.ts";
import { requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";
import { type IntentView, intentSchema, newIntentSchema } from "../schemas/intent.ts";
import { omitUndefined } from "../views/omit-undefined.ts";
import { toPlanView } from "../views/plan-view.ts";
import { toPreviewResult } from "../views/preview-result.ts";

const createIntent = createRoute({
  operationId: "createIntent",
  method: "post",
  path: "/v1/intents",
  tags: ["Plans"],
  summary: "Turn a request in words into a plan",
  description:
    "Returns a plan with its preview, or the questions that remain. It performs only the reads that find what the words describe, as calls of yours. A plan passes the same rules as any other. Send the plan and its `intent` to `POST /v1/plans`, or set `submit`.",
  security: requireAnyScope("calls", "admin"),
  request: {
    headers: callRequestHeaders,
    body: { required: true, content: { "application/json": { schema: newIntentSchema } } },
  },
  responses: {
    200: toJsonResponse(intentSchema, "What the words ask for. With `submit`, the plan is closed."),
    202: toJsonResponse(intentSchema, "The plan was requested and is open."),
    ...toProblemResponses(...callRequestProblems),
  },
});

export const intentOperations = [createIntent];

export function createIntentRoutes(parts: RouteDeps) {
  const { service } = parts;
  return createRouter().openapi(createIntent, async (c) => {
    const principal = c.get("principal");
    const { words, timeZone, answers, submit = false, session } = c.req.valid("json");
    const understood = await service.intents.understand(
      c.get("caller"),
      { words, timeZone, answers },
      c.req.raw.signal,
    );
    if (understood.kind !== "plan" || !submit) return c.json(toIntentView(understood), 200);
    const { plan, intent } = understood;
    const { seal: _own, ...record } = intent;
    requireCapabilityScope(c, planCapability, plan);
    const { call, known } = await service.requestCall({
      principal,
      capability: planCapability,
      input: plan,
      words: record,
      ...toRequestMetadata({ session }, c.req.valid("header")["idempotency-key"]),
      ...readTrace(c),
    });
    const now = await waitAsPreferred(c, call, parts);
    c.header("location", `/v1/plans/${call.call}`);
    if (known) c.header("idempotent-replay", "true");
    const submitted = await toPlanView(now, principal, service);
    return c.json({ ...toIntentView(understood), submitted }, now.state === "closed" ? 200 : 202);
  });
}

function toIntentView(understood: UnderstoodIntent): IntentView {
  const { understoodBy } = understood;
  if (understood.kind === "question") {
    const questions = understood.questions.map(({ options, ...one }) => ({
      ...one,
      ...(options && { options: [...options] }),
    }));
    const { draft, steps } = understood;
    return {
      kind: "question",
      understoodBy,
      questions,
      ...(draft && { draft }),
      ...(steps && { steps: [...steps] }),
    };
  }
  if (understood.kind === "no") return omitUndefined(understood);
  const { plan, intent, preview } = understood;
  const { answers, ...record } = intent;
  return {
    kind: "plan",
    understoodBy,
    plan: plan as Record<string, unknown>,
    fingerprint: fingerprint(digest(plan)),
    intent: { ...record, ...(answers && { answers: [...answers] }) },
    preview: toPreviewResult(planCapability, preview),
  };
}
