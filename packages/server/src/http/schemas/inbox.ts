import { z } from "@hono/zod-openapi";
import { effects, risks } from "@paraph/core";
import { voterStatuses, voterText } from "./approval.ts";
import { guardSchema, headlineSchema } from "./call.ts";
import { approvalIdSchema, capabilityNameSchema, requesterSchema, timeSchema } from "./common.ts";

export const inboxCursorSchema = z
  .string()
  .regex(/^\d{1,15}\.[A-Za-z0-9_-]{1,128}$/)
  .openapi({ example: "1772357400000.ask_01k2m4x7q3" });

const inboxItemSchema = z
  .object({
    approval: approvalIdSchema,
    headline: headlineSchema,
    capability: capabilityNameSchema,
    principal: requesterSchema.omit({ kind: true }),
    risk: z.enum(risks).optional().openapi({
      description: "The risk of the call. For a plan: the highest among its steps. Missing if it is unknown.",
    }),
    effect: z.enum(effects).optional(),
    guards: z.array(guardSchema),
    votes: z.int(),
    voter: z.enum(["voted", ...voterStatuses]).openapi({ description: voterText }),
    expiresAt: timeSchema,
    steps: z.int().optional().openapi({ description: "For a plan: the number of its steps." }),
    bundle: z.int().optional().openapi({
      description:
        "The number of similar approvals of this requester that the entry stands for. `headline` is that of the gravest one.",
    }),
  })
  .openapi("InboxItem");

export const inboxSchema = z
  .object({ items: z.array(inboxItemSchema), next: inboxCursorSchema.optional() })
  .openapi("Inbox");
