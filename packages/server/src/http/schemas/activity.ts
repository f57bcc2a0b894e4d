import { z } from "@hono/zod-openapi";
import { outcomeKinds } from "@paraph/core";
import { activityKinds } from "../../services/activity.ts";
import { approvalIdSchema, callIdSchema, sha256Schema, timeSchema } from "./common.ts";

export const activitySchema = z
  .object({
    id: z.string().openapi({ description: "The call and the number of its event." }),
    at: timeSchema,
    kind: z.enum(activityKinds).openapi({
      description:
        "`begin`: the first step of a plan or other composite. `apply`: a call ended as succeeded, failed or unknown. `undo`: the same for a call that undoes another. `end`: a call ended with another outcome.",
    }),
    call: callIdSchema,
    plan: callIdSchema.optional().openapi({
      description: "The plan or other composite that it belongs to. A call with steps names itself.",
    }),
    step: z.string().optional(),
    undoes: callIdSchema.optional().openapi({ description: "The call that this one undoes." }),
    capability: z.string(),
    principal: z.string().openapi({ description: "The requester." }),
    onBehalfOf: z.string().optional(),
    by: z
      .string()
      .optional()
      .openapi({ description: "The principal that did it, if it was not the call itself." }),
    to: z.string().optional().openapi({ description: "The person it was reassigned to." }),
    as: z.enum(["approver", "confirmation"]).optional(),
    approval: approvalIdSchema.optional(),
    round: z.int().optional(),
    outcome: z.enum(outcomeKinds).optional(),
    code: z.string().optional(),
    finding: z.enum(["happened", "not-happened"]).optional(),
    declined: z.array(z.string()).optional().openapi({ description: "Steps that an approval left out." }),
    successor: callIdSchema.optional().openapi({ description: "The call that replaced it." }),
    receipt: sha256Schema.optional(),
  })
  .openapi("Activity", {
    description: "One recorded action: ids, codes and times, never a payload.",
    example: {
      id: "call_01k2m4x7p9.4",
      at: "2026-03-01T09:32:11.000Z",
      kind: "approve",
      call: "call_01k2m4x7p9",
      plan: "call_01k2m4x7p9",
      capability: "plan.apply",
      principal: "support-bot",
      by: "bo",
      as: "approver",
      approval: "ask_01k2m4x7q3",
      round: 1,
      declined: ["notify"],
    },
  });
