import { createRoute, z } from "@hono/zod-openapi";
import { type NoticeRecord, noticeStates } from "../../services/notifications.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { findCall } from "../middleware/authorization.ts";
import { HttpProblem, unknownCall } from "../problem.ts";
import {
  approvalIdSchema,
  callIdSchema,
  createIdSchema,
  requireAnyScope,
  timeSchema,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { toIso } from "../views/call-view.ts";

const noticeSchema = z
  .object({
    notice: createIdSchema("notice_6a204bd89f3c8348afd5c77c717a097a"),
    kind: z.enum(["request", "reminder", "escalation", "outcome"]),
    recipient: z.string().openapi({ description: "The id of the person. The record holds no address." }),
    channel: z.string(),
    approval: approvalIdSchema,
    state: z.enum(noticeStates).openapi({
      description:
        "`coalesced`: a summary counts it. `dropped`: it was not needed any more. `given-up`: it could not be delivered.",
    }),
    code: z.string().optional().openapi({
      description: "Why the last attempt failed, or why the notice was dropped.",
    }),
    attempts: z.int(),
    at: timeSchema,
    sentAt: timeSchema.optional(),
    openedAt: timeSchema.optional().openapi({
      description: "When the recipient first opened the page of the call after the notice.",
    }),
  })
  .openapi("Notice");

const listNotices = createRoute({
  operationId: "listNotices",
  method: "get",
  path: "/v1/calls/{call}/notices",
  tags: ["Calls"],
  summary: "List whom Paraph told about a call",
  description: "For people who may see the call, such as approvers, the requester's owner and auditors.",
  security: requireAnyScope("read", "decide"),
  request: { params: z.object({ call: callIdSchema }) },
  responses: {
    200: toJsonResponse(z.object({ notices: z.array(noticeSchema) }), "The notices, oldest first."),
    ...toProblemResponses(
      "parameter-invalid",
      "not-authenticated",
      "scope-missing",
      "approver-not-allowed",
      "call-unknown",
    ),
  },
});

export const noticeOperations = [listNotices];

export function createNoticeRoutes({ service }: RouteDeps) {
  return createRouter().openapi(listNotices, async (c) => {
    const call = await findCall(c, service, c.req.valid("param").call);
    if (!call) throw unknownCall();
    // An agent could otherwise learn who decides about it, and when these people look.
    if (c.get("principal").kind !== "person")
      throw new HttpProblem("approver-not-allowed", "Only people can see notices. Use a person's key.");
    const notices = await service.notifications.listNotices(call);
    return c.json({ notices: notices.map(toNoticeView) }, 200);
  });
}

function toNoticeView({ id, code, at, sentAt, openedAt, ...rest }: NoticeRecord) {
  return {
    notice: id,
    ...rest,
    ...(code !== null && { code }),
    at: toIso(at),
    ...(sentAt !== null && { sentAt: toIso(sentAt) }),
    ...(openedAt !== null && { openedAt: toIso(openedAt) }),
  };
}
