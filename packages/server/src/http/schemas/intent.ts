import { z } from "@hono/zod-openapi";
import { sessionSchema } from "./call.ts";
import { capabilityNameSchema, jsonObjectSchema } from "./common.ts";
import { answerSchema, sealedIntentSchema, understoodBySchema, wordsSchema } from "./intent-record.ts";
import { planSchema, previewResultSchema } from "./plan.ts";

export const newIntentSchema = z
  .strictObject({
    words: wordsSchema,
    timeZone: z.string().max(64).optional().openapi({
      description: "Your IANA time zone. Without it, days such as `tomorrow` are a question.",
      example: "Europe/Berlin",
    }),
    answers: z
      .array(answerSchema)
      .max(50)
      .optional()
      .openapi({ description: "Your answers to earlier questions about the same words." }),
    submit: z.boolean().optional().openapi({
      description: "Whether to request the plan at once (default: false). A question is never requested.",
    }),
    session: sessionSchema.optional(),
  })
  .openapi("NewIntent", {
    example: { words: "Refund €12.50 for payment pay_8Zk2", timeZone: "Europe/Berlin" },
  });

const questionSchema = z
  .object({
    code: z.string(),
    step: z.int().openapi({ description: "The number of the step that the question is about." }),
    capability: z.string().optional(),
    field: z.string().optional().openapi({ description: "The field to answer in `answers`." }),
    message: z.string(),
    options: z.array(z.string()).optional(),
  })
  .openapi("IntentQuestion");

const common = { understoodBy: understoodBySchema };

export const intentSchema = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("plan"),
      ...common,
      plan: z
        .record(z.string(), z.unknown())
        .openapi({ description: "The plan to send to `POST /v1/plans`." }),
      fingerprint: z.string().openapi({ description: "The first digits of the plan's digest." }),
      intent: sealedIntentSchema.openapi({ description: "The record to send with the plan." }),
      preview: previewResultSchema,
      submitted: planSchema.optional().openapi({ description: "The requested plan, with `submit`." }),
    }),
    z.object({
      kind: z.literal("question"),
      ...common,
      questions: z.array(questionSchema),
      draft: z.object({ capability: capabilityNameSchema, input: jsonObjectSchema }).optional().openapi({
        description:
          "The values that are certain already, to fill in the rest as a form. Only if the words ask for a single step, and each question is about a field.",
      }),
      steps: z
        .array(z.object({ capability: z.string(), object: z.string().optional() }))
        .optional()
        .openapi({
          description:
            "The plan so far, if the words leave no doubt about its steps. `object` is what the words of the step describe.",
        }),
    }),
    z.object({ kind: z.literal("no"), ...common, code: z.string(), message: z.string() }),
  ])
  .openapi("Intent", {
    description:
      "What the words ask for: a plan, questions about missing facts, or nothing that Paraph can plan.",
  });

export type IntentView = z.input<typeof intentSchema>;
