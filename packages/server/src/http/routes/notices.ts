import { createRoute, z } from "@hono/zod-openapi";
import type { NoticeRecord } from "../../services/notifications.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { findCall } from "../middleware/authorization.ts";
import { HttpProblem, unknownCall } from "../problem.ts";
import { callIdSchema, requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";
import { noticeSchema } from "../schemas/notice.ts";
import { toIso } from "../views/call-view.ts";

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
