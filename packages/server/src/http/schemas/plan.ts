import { z } from "@hono/zod-openapi";
import { effects, type JsonObject, planDocument, risks, toolChain } from "@paraph/core";
import {
  callView,
  change,
  guard,
  newCall,
  outcome,
  previewOrNot,
  requirements,
  saidPurpose,
  session,
  states,
} from "./call.ts";
import { anyJson, callId, capabilityName } from "./common.ts";

const inDocument = (schema: z.ZodType): JsonObject => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest as JsonObject;
};

/** Read by core, which says every fault by its place; here is what it reads. */
const document = z
  .unknown()
  .refine((value) => value !== undefined, "required")
  .openapi({
    description:
      "A plan (`contracts/plan.v1.json`), or a tool chain (`contracts/executor/toolchain.v1.json`).",
    anyOf: [inDocument(planDocument), inDocument(toolChain)] as never,
  });

export const newPlan = z
  .strictObject({
    plan: document,
    session: session.optional(),
    purpose: saidPurpose.optional(),
    requirements: requirements.optional(),
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

export const newPreview = z
  .strictObject({
    capability: capabilityName.optional(),
    input: newCall.shape.input.optional(),
    plan: document.optional(),
    requirements: requirements.optional(),
  })
  .refine(
    ({ capability, input, plan }) =>
      (plan === undefined) === (capability !== undefined && input !== undefined),
    "give a capability and its input, or a plan",
  )
  .openapi("NewPreview");

export const foreseen = z
  .object({
    capability: capabilityName,
    ruling: z.enum(["allow", "check", "ask", "block"]).openapi({ description: "What policy would say." }),
    sentence: z.string().openapi({ description: "Why." }),
    policies: z.array(z.string()),
    guards: z.array(guard).optional().openapi({ description: "Whom it would ask, and why." }),
    checks: z.array(z.string()).optional(),
    previewed: z.boolean(),
    preview: previewOrNot,
    fault: z
      .object({ code: z.string(), message: z.string() })
      .optional()
      .openapi({ description: "What it would change could not be told: it would be refused." }),
  })
  .openapi("Foreseen", {
    description: "What would become of a call. Nothing was written, nobody was asked.",
  });

export type ForeseenView = z.input<typeof foreseen>;

const stepView = z
  .object({
    step: z.string(),
    capability: capabilityName,
    status: z.enum(["planned", "declined", "skipped", "open", "closed"]).openapi({
      description:
        "`declined`: people approved the rest without it. `skipped`: one before it did not succeed, or left no value for it.",
    }),
    call: callId.optional().openapi({ description: "Its call, once it was come to." }),
    state: z.enum(states).optional(),
    outcome: outcome.optional(),
    input: anyJson.optional().openapi({ description: "As the plan writes it." }),
    after: z.array(z.string()).optional(),
    visibility: z.enum(["everyone", "approvers"]).optional(),
    version: z.int().optional(),
    effect: z.enum(effects).optional(),
    risk: z.enum(risks).optional(),
    cost: z.int().optional(),
    known: z.boolean().optional(),
    seen: z.boolean().optional(),
    restsOn: z.array(z.string()).optional(),
    changes: z.array(change).optional().openapi({ description: "What it would change, as it was shown." }),
    asks: z
      .array(z.string())
      .optional()
      .openapi({ description: "The guards that want people asked for it." }),
  })
  .openapi("Step");

export const planView = callView.extend({ steps: z.array(stepView) }).openapi("Plan");

export type StepView = z.input<typeof stepView>;
export type PlanView = z.input<typeof planView>;
