import { z } from "@hono/zod-openapi";
import { freezeKinds } from "@paraph/core";
import { anyJson, capabilityName, handle, time } from "./common.ts";

export const freeze = z
  .object({
    freeze: handle("freeze_01k2m4x7p9"),
    kind: z.enum(freezeKinds),
    subject: z.string().openapi({ example: "support-bot" }),
    by: z.string().openapi({ example: "ana" }),
    at: time,
  })
  .openapi("Freeze", { description: "Nothing of its subject is accepted or acts until it is thawed." });

const bound = z.object({
  is: anyJson.optional(),
  oneOf: z.array(anyJson).optional(),
  startsWith: z.string().optional(),
  atMost: z.number().optional(),
  atLeast: z.number().optional(),
});

export const grant = z
  .object({
    grant: handle("grant_01k2m4x7p9"),
    capability: capabilityName,
    principal: z.string().optional().openapi({ description: "Whose calls it is for; anybody's if missing." }),
    bounds: z.record(z.string(), bound).openapi({ example: { path: { startsWith: "notes/" } } }),
    people: z.array(z.object({ by: z.string(), groups: z.array(z.string()) })).openapi({
      description: "Who said yes in advance.",
    }),
    countLeft: z.int(),
    amountLeft: z.int().optional().openapi({ description: "In minor units." }),
    expiresAt: time,
    destroy: z.boolean(),
    breakGlass: z
      .boolean()
      .openapi({ description: "Somebody broke the glass: it lifts every demand, once." }),
  })
  .openapi("Grant", { description: "A standing approval, within bounds." });
