import { createRoute, z } from "@hono/zod-openapi";
import type { Call, Json, JsonObject } from "@paraph/core";
import { resolveFieldVisibility } from "../../visibility/field-visibility.ts";
import { findContract } from "../../visibility/find-contract.ts";
import { maskPayloads, restoreMasked } from "../../visibility/mask-payloads.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireApproval, requireCapabilityScope } from "../middleware/authorization.ts";
import { HttpProblem } from "../problem.ts";
import { editPreviewSchema, editSchema } from "../schemas/approval.ts";
import { callSchema } from "../schemas/call.ts";
import {
  approvalIdSchema,
  decisionProblems,
  requireAnyScope,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { toCallView } from "../views/call-view.ts";
import { showHeadline } from "../views/headline-view.ts";
import { toPreviewResult } from "../views/preview-result.ts";

const editProblems = [
  ...decisionProblems,
  "edit-refused",
  "capability-unknown",
  "input-invalid",
  "frozen",
] as const;

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
    ...toProblemResponses(...editProblems, "limit-reached"),
  },
});

const previewEdit = createRoute({
  operationId: "previewEdit",
  method: "post",
  path: "/v1/approvals/{approval}/edit/preview",
  tags: ["Approvals"],
  summary: "Preview an edit of a waiting call",
  description:
    "Returns what the edited call would change and how policy would rule on it, with sensitive values masked. The limits of an edit apply. Creates no call and changes nothing.",
  security: requireAnyScope("decide"),
  request: {
    params: z.object({ approval: approvalIdSchema }),
    body: { required: true, content: { "application/json": { schema: editSchema.omit({ reason: true }) } } },
  },
  responses: {
    200: toJsonResponse(editPreviewSchema, "The preview and the ruling for the current state."),
    ...toProblemResponses(...editProblems),
  },
});

export const editOperations = [editApproval, previewEdit];

export function createEditRoutes({ service }: RouteDeps) {
  const { actions } = service;
  return createRouter()
    .openapi(editApproval, async (c) => {
      const editor = c.get("principal");
      const { approval } = c.req.valid("param");
      const { digest, reason, ...wanted } = c.req.valid("json");
      const call = await requireApproval(editor, approval, service);
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
    .openapi(previewEdit, async (c) => {
      const editor = c.get("principal");
      const { approval } = c.req.valid("param");
      const { digest, ...wanted } = c.req.valid("json");
      const before = await requireApproval(editor, approval, service);
      const input = toEditedInput(wanted, before);
      requireCapabilityScope(c, before.capability, input);
      const { call, considered } = await service.previewEdit({ approval, editor, digest, input });
      const contract = findContract(call, service);
      // [TRUST 16] The editor sees of the draft what an approver sees of the waiting call.
      const visibility = await resolveFieldVisibility(editor, before, service);
      const visible = maskPayloads(editor, call, contract, visibility);
      const { preview } = visible.payloads;
      const shown = typeof preview === "object" ? preview : null;
      return c.json(
        {
          ...toPreviewResult(call.capability, considered),
          preview: shown as z.input<typeof editPreviewSchema>["preview"],
          headline: showHeadline(call, visible, contract),
          masked: [...visible.masked],
        },
        200,
      );
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
