import { createRoute, z } from "@hono/zod-openapi";
import { type Call, type Principal, requireOpenRound } from "@paraph/core";
import type { ParaphService } from "../../services/paraph-service.ts";
import { maskForReader } from "../../visibility/mask-for-reader.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireApproval } from "../middleware/authorization.ts";
import { HttpProblem, unknownApproval } from "../problem.ts";
import { openRoundSchema, revealRequestSchema } from "../schemas/approval.ts";
import {
  approvalIdSchema,
  decisionProblems,
  requireAnyScope,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { toApprovalView } from "../views/call-view.ts";
import { findVoter } from "../views/voter-status.ts";

const revealApproval = createRoute({
  operationId: "revealApproval",
  method: "post",
  path: "/v1/approvals/{approval}/reveal",
  tags: ["Approvals"],
  summary: "Reveal the sensitive fields of a waiting call",
  description:
    "For people whose approval would count. Paraph first records who revealed which fields, then returns the round with all values. Later reads mask them again.",
  security: requireAnyScope("decide"),
  request: {
    params: z.object({ approval: approvalIdSchema }),
    body: { required: true, content: { "application/json": { schema: revealRequestSchema } } },
  },
  responses: {
    200: toJsonResponse(openRoundSchema, "The round without masks."),
    ...toProblemResponses(...decisionProblems),
  },
});

export const revealOperations = [revealApproval];

export function createRevealRoutes({ service }: RouteDeps) {
  return createRouter().openapi(revealApproval, async (c) => {
    const reader = c.get("principal");
    const { approval } = c.req.valid("param");
    const call = await requireApproval(reader, approval, service);
    await recordReveal(reader, call, { approval, ...c.req.valid("json") }, service);
    const view = await toApprovalView(call, approval, reader, service, { isRevealed: true });
    if (view?.kind !== "round") throw unknownApproval();
    return c.json(view, 200);
  });
}

/**
 * [TRUST 16] Records that this approver is about to see the hidden fields of a waiting call. Throws if the approval is
 * closed or has changed, or if the reader's approval would not count.
 */
export async function recordReveal(
  reader: Principal,
  call: Call,
  shown: { readonly approval: string; readonly digest: string },
  service: ParaphService,
): Promise<void> {
  const round = requireOpenRound(call, shown);
  const voter = await findVoter(reader, call, round, service.approver);
  if (voter?.status !== "approver" && voter?.status !== "confirmation")
    throw new HttpProblem(
      "approver-not-allowed",
      "Only the approvers of this call can reveal its sensitive fields.",
    );
  const { masked } = await maskForReader(reader, call, service);
  if (masked.length > 0) await service.approver.recordReveal(reader, call, masked);
}
