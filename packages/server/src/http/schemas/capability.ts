import { z } from "@hono/zod-openapi";
import { performerSchema } from "./call.ts";
import { capabilityNameSchema, jsonObjectSchema, sha256Schema } from "./common.ts";
import { rulingKindSchema } from "./policy.ts";

const expectedRulingSchema = z
  .object({
    ruling: rulingKindSchema,
    sentence: z.string().openapi({ description: "Reason for the ruling." }),
    policies: z.array(z.string()),
    dependsOnCall: z.boolean().openapi({
      description: "Whether other policies read the individual call, so that the ruling on it can differ.",
    }),
  })
  .openapi("ExpectedRuling");

const capabilityTermsSchema = z.object({
  name: capabilityNameSchema,
  version: z.int(),
  summary: z.string().openapi({ example: "Refund a payment" }),
  effect: z.enum(["read", "write", "destroy"]),
  risk: z.enum(["low", "medium", "high", "critical"]),
  previews: z.boolean().openapi({ description: "Whether it has a preview." }),
  performer: performerSchema.optional(),
  contractDigest: sha256Schema,
  ruling: expectedRulingSchema.optional().openapi({
    description:
      "With `ruling=true`: how policy rules on your calls of this capability, as far as it does not depend on the individual call. Missing if only the call decides.",
  }),
});

export const capabilitySummarySchema = capabilityTermsSchema
  .extend({
    unavailable: z
      .string()
      .optional()
      .openapi({ description: "The capability is unavailable: the reason, and how to fix it." }),
  })
  .openapi("CapabilitySummary");

export const contractSchema = capabilityTermsSchema
  .extend({
    idempotency: z.enum(["natural", "keyed", "probe", "none"]),
    input: jsonObjectSchema.openapi({ description: "JSON Schema of the input." }),
    output: jsonObjectSchema.openapi({ description: "JSON Schema of the output." }),
    sensitive: z
      .array(z.string())
      .openapi({ description: "Fields that everyone except the requester sees as `•••`." }),
    timeoutMs: z.int(),
    applyWithinMs: z.int(),
    keyTtlMs: z.int(),
    retry: jsonObjectSchema,
  })
  .openapi("Contract");
