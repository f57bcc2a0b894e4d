import { z } from "@hono/zod-openapi";
import { performer } from "./call.ts";
import { capabilityName, jsonObject, sha256 } from "./common.ts";

const terms = z.object({
  name: capabilityName,
  version: z.int(),
  summary: z.string().openapi({ example: "Refund a payment" }),
  effect: z.enum(["read", "write", "destroy"]),
  risk: z.enum(["low", "medium", "high", "critical"]),
  previews: z.boolean().openapi({ description: "Whether it can say beforehand what would change." }),
  performer: performer.optional(),
  contractDigest: sha256,
});

export const capabilitySummary = terms
  .extend({
    unavailable: z
      .string()
      .optional()
      .openapi({ description: "It cannot be used for now: why, and what to do about it." }),
  })
  .openapi("CapabilitySummary");

export const contract = terms
  .extend({
    idempotency: z.enum(["natural", "keyed", "probe", "none"]),
    input: jsonObject.openapi({ description: "JSON Schema of the input." }),
    output: jsonObject.openapi({ description: "JSON Schema of the output." }),
    sensitive: z
      .array(z.string())
      .openapi({ description: "Fields that others than who asked see as `•••`." }),
    timeoutMs: z.int(),
    applyWithinMs: z.int(),
    keyTtlMs: z.int(),
    retry: jsonObject,
  })
  .openapi("Contract");
