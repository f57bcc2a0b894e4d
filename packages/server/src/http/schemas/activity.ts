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
        "`begin`: the first step of a whole. `apply`: the end of what was let through. `undo`: the same of a call that undoes another. `end`: that of a call that was not let through.",
    }),
    call: callIdSchema,
    plan: callIdSchema
      .optional()
      .openapi({ description: "The whole it belongs to: itself, where it is made of steps." }),
    step: z.string().optional(),
    undoes: callIdSchema.optional().openapi({ description: "The call that this one undoes." }),
    capability: z.string(),
    principal: z.string().openapi({ description: "Who asked." }),
    onBehalfOf: z.string().optional(),
    by: z.string().optional().openapi({ description: "Who did it, where that was not the call itself." }),
    to: z.string().optional().openapi({ description: "To whom it was handed over." }),
    as: z.enum(["approver", "confirmation"]).optional(),
    approval: approvalIdSchema.optional(),
    round: z.int().optional(),
    outcome: z.enum(outcomeKinds).optional(),
    code: z.string().optional(),
    finding: z.enum(["happened", "not-happened"]).optional(),
    declined: z.array(z.string()).optional().openapi({ description: "Steps that were left out of a yes." }),
    successor: callIdSchema.optional().openapi({ description: "The call that took its place." }),
    receipt: sha256Schema.optional(),
  })
  .openapi("Activity", {
    description: "One thing that was done: ids, codes and times, never a payload.",
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
