import { createRoute, z } from "@hono/zod-openapi";
import { type Call, digest, type Principal } from "@paraph/core";
import { type CallMessage, type CallMessageKind, messageKinds } from "../../services/call-actions.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { findCall } from "../middleware/authorization.ts";
import { HttpProblem, unknownCall } from "../problem.ts";
import {
  bodyProblems,
  callIdSchema,
  pageLimitSchema,
  requireAnyScope,
  toJsonResponse,
  toProblemResponses,
  visibleAsciiSchema,
} from "../schemas/common.ts";
import { messageSchema } from "../schemas/message.ts";
import { toIso } from "../views/call-view.ts";

const listMessages = createRoute({
  operationId: "listMessages",
  method: "get",
  path: "/v1/calls/{call}/messages",
  tags: ["Calls"],
  summary: "List the messages about a call",
  security: requireAnyScope("read", "calls", "decide", "admin"),
  request: {
    params: z.object({ call: callIdSchema }),
    query: z.object({
      after: z.coerce.number().int().min(0).max(1_000_000).default(0).openapi({
        description: "Only messages after this number.",
      }),
      limit: pageLimitSchema,
    }),
  },
  responses: {
    200: toJsonResponse(z.object({ messages: z.array(messageSchema) }), "The messages, oldest first."),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "call-unknown"),
  },
});

const createMessage = createRoute({
  operationId: "createMessage",
  method: "post",
  path: "/v1/calls/{call}/messages",
  tags: ["Calls"],
  summary: "Post a message about a call",
  description:
    "People comment and ask questions. The requester answers. While an approval is open, the call's events name each message by its id.",
  security: requireAnyScope("decide", "calls", "admin"),
  request: {
    params: z.object({ call: callIdSchema }),
    headers: z.object({
      "idempotency-key": visibleAsciiSchema.optional().openapi({
        description: "Idempotency key of the message. A repeated request with the same key posts it once.",
      }),
    }),
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({ kind: z.enum(messageKinds), text: z.string().min(1).max(10_000) })
            .openapi("NewMessage", {
              example: { kind: "question", text: "Is the lamp back in the shop?" },
            }),
        },
      },
    },
  },
  responses: {
    200: toJsonResponse(messageSchema, "The message."),
    ...toProblemResponses(
      ...bodyProblems,
      "parameter-invalid",
      "approver-not-allowed",
      "call-unknown",
      "key-reused",
    ),
  },
});

export const messageOperations = [listMessages, createMessage];

export function createMessageRoutes({ service }: RouteDeps) {
  return createRouter()
    .openapi(listMessages, async (c) => {
      const call = await findCall(c, service, c.req.valid("param").call);
      if (!call) throw unknownCall();
      const messages = await service.actions.listMessages(call, c.req.valid("query"));
      return c.json({ messages: messages.map(toMessageView) }, 200);
    })
    .openapi(createMessage, async (c) => {
      const by = c.get("principal");
      const call = await findCall(c, service, c.req.valid("param").call);
      if (!call) throw unknownCall();
      const { kind, text } = c.req.valid("json");
      requireMessageRole(by, call, kind);
      const key = c.req.valid("header")["idempotency-key"];
      const id = key === undefined ? undefined : `message_${digest([call.call, by.id, key]).slice(0, 32)}`;
      const said = await service.actions.postMessage(call, {
        by,
        kind,
        text,
        ...(id !== undefined && { id }),
      });
      if (!said || said.text !== text || said.kind !== kind)
        throw new HttpProblem(
          "key-reused",
          "The idempotency key belongs to another message. Choose a new key.",
        );
      return c.json(toMessageView(said), 200);
    });
}

/** Rejects a message from a sender in the wrong role. People comment and ask questions; only the requester answers. */
export function requireMessageRole({ id, kind }: Principal, { principal }: Call, as: CallMessageKind): void {
  if (as === "answer" ? id === principal.id : kind === "person") return;
  const words =
    as === "answer"
      ? "Only the requester of the call can answer."
      : "Only people can comment and ask questions.";
  throw new HttpProblem("approver-not-allowed", words);
}

function toMessageView({ id, at, ...rest }: CallMessage) {
  return { message: id, ...rest, at: toIso(at) };
}
