import { z } from "@hono/zod-openapi";
import { messageKinds } from "../../services/call-actions.ts";
import { createIdSchema, timeSchema } from "./common.ts";

export const messageSchema = z
  .object({
    message: createIdSchema("message_01k2m4x7q3"),
    seq: z.int(),
    by: z.string(),
    kind: z.enum(messageKinds),
    at: timeSchema,
    text: z.string().optional().openapi({ description: "Plain text, unverified. Missing after an erasure." }),
  })
  .openapi("Message");
