import { z } from "@hono/zod-openapi";
import {
  callStates,
  effects,
  type JsonObject,
  planDocument,
  risks,
  rulingKinds,
  toolChain,
} from "@paraph/core";
import {
  callSchema,
  changeSchema,
  guardSchema,
  newCallSchema,
  newCompressedStateSchema,
  newPurposeSchema,
  nullablePreviewSchema,
  outcomeSchema,
  requirementsSchema,
  sessionSchema,
  stepPreviewSchema,
} from "./call.ts";
import { anyJsonSchema, callIdSchema, capabilityNameSchema } from "./common.ts";
import { sealedIntentSchema } from "./intent-record.ts";

const toDocumentSchema = (schema: z.ZodType): JsonObject => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest as JsonObject;
};

/** The schema that documents the accepted forms of a plan. Core parses the plan and names the place of every fault. */
const planInputSchema = z
  .unknown()
  .refine((value) => value !== undefined, "required")
  .openapi({
    description:
      "A plan (`contracts/plan.v1.json`), or a tool chain (`contracts/executor/toolchain.v1.json`).",
    anyOf: [toDocumentSchema(planDocument), toDocumentSchema(toolChain)] as never,
  });

export const newPlanSchema = z
  .strictObject({
    plan: planInputSchema,
    intent: sealedIntentSchema.optional().openapi({
      description: "The `intent` of `POST /v1/intents`, if Paraph understood this plan from words.",
    }),
    session: sessionSchema.optional(),
    purpose: newPurposeSchema.optional(),
    compressedState: newCompressedStateSchema.optional(),
    requirements: requirementsSchema.optional(),
  })
  .openapi("NewPlan", {
    example: {
      plan: {
        version: 1,
        onFailure: "compensate",
        steps: [
          { id: "refund", capability: "billing.refund", input: { payment: "pay_8Zk2", cents: 1250 } },
          { id: "note", capability: "crm.note", input: { text: { $from: "refund", path: "/refund" } } },
        ],
      },
      purpose: "The customer returned the lamp.",
    },
  });

export const newPreviewSchema = z
  .strictObject({
    capability: capabilityNameSchema.optional(),
    input: newCallSchema.shape.input.optional(),
    plan: planInputSchema.optional(),
    requirements: requirementsSchema.optional(),
  })
  .refine(
    ({ capability, input, plan }) =>
      (plan === undefined) === (capability !== undefined && input !== undefined),
    "give a capability and its input, or a plan",
  )
  .openapi("NewPreview");

export const previewResultSchema = z
  .object({
    capability: capabilityNameSchema,
    ruling: z.enum(rulingKinds).openapi({ description: "The ruling of policy." }),
    sentence: z.string().openapi({ description: "Reason for the ruling." }),
    policies: z.array(z.string()),
    guards: z
      .array(guardSchema)
      .optional()
      .openapi({ description: "The guards that would demand approval." }),
    checks: z.array(z.string()).optional(),
    previewed: z.boolean(),
    preview: nullablePreviewSchema,
    fault: z
      .object({ code: z.string(), message: z.string() })
      .optional()
      .openapi({ description: "The preview failed, so the call would be refused." }),
  })
  .openapi("Foreseen", {
    description: "The preview and the ruling of a call that was not requested.",
  });

export type PreviewResultView = z.input<typeof previewResultSchema>;

const stepSchema = z
  .object({
    step: z.string(),
    headline: stepPreviewSchema.shape.headline,
    capability: capabilityNameSchema,
    status: z.enum(["planned", "declined", "skipped", "open", "closed"]).openapi({
      description:
        "`declined`: the approval left it out. `skipped`: an earlier step did not succeed or gave no value for it.",
    }),
    call: callIdSchema.optional().openapi({ description: "Its call, once it has started." }),
    state: z.enum(callStates).optional(),
    outcome: outcomeSchema.optional(),
    input: anyJsonSchema.optional().openapi({ description: "Input as written in the plan." }),
    after: z.array(z.string()).optional(),
    visibility: z.enum(["everyone", "approvers"]).optional(),
    version: z.int().optional(),
    effect: z.enum(effects).optional(),
    risk: z.enum(risks).optional(),
    cost: z.int().optional(),
    inputKnown: z.boolean().optional(),
    previewed: z.boolean().optional(),
    dependsOn: z.array(z.string()).optional(),
    changes: z.array(changeSchema).optional().openapi({ description: "Its changes, as approvers saw them." }),
    asks: z.array(z.string()).optional().openapi({ description: "The guards that demand approval for it." }),
  })
  .openapi("Step");

export const planSchema = callSchema.extend({ steps: z.array(stepSchema) }).openapi("Plan");

export type StepView = z.input<typeof stepSchema>;
export type PlanView = z.input<typeof planSchema>;
