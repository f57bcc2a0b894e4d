import { z } from "@hono/zod-openapi";
import { freezeKinds } from "@paraph/core";
import { anyJsonSchema, capabilityNameSchema, createIdSchema, freezeIdSchema, timeSchema } from "./common.ts";

export const freezeSchema = z
  .object({
    freeze: freezeIdSchema,
    kind: z.enum(freezeKinds),
    subject: z.string().openapi({ example: "support-bot" }),
    by: z.string().openapi({ example: "ana" }),
    at: timeSchema,
    disabled: z.literal(true).optional().openapi({
      description:
        "The subject is a disabled principal, so it can't be thawed. Enable it instead (`admin.principal_enable`).",
    }),
  })
  .openapi("Freeze", {
    description: "While a freeze is in force, its subject can do nothing. An administrator can thaw it.",
  });

const boundSchema = z.object({
  is: anyJsonSchema.optional(),
  oneOf: z.array(anyJsonSchema).optional(),
  startsWith: z.string().optional(),
  atMost: z.number().optional(),
  atLeast: z.number().optional(),
});

export const grantSchema = z
  .object({
    grant: createIdSchema("grant_01k2m4x7p9"),
    capability: capabilityNameSchema,
    principal: z
      .string()
      .optional()
      .openapi({ description: "The principal whose calls it covers. Missing: every principal." }),
    bounds: z.record(z.string(), boundSchema).openapi({ example: { path: { startsWith: "notes/" } } }),
    people: z.array(z.object({ by: z.string(), groups: z.array(z.string()) })).openapi({
      description: "The people who approved it.",
    }),
    countLeft: z.int(),
    amountLeft: z.int().optional().openapi({ description: "In minor units." }),
    expiresAt: timeSchema,
    destroy: z.boolean(),
    breakGlass: z.boolean().openapi({ description: "A break-glass grant: it satisfies every guard, once." }),
  })
  .openapi("Grant", { description: "A standing approval, within bounds." });
