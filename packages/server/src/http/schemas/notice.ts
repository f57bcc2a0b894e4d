import { z } from "@hono/zod-openapi";
import { noticeStates } from "../../services/notifications.ts";
import { approvalIdSchema, createIdSchema, timeSchema } from "./common.ts";

export const noticeSchema = z
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
