import { z } from "@hono/zod-openapi";
import type { SealedIntent } from "@paraph/core/intents";
import { omitUndefined } from "../views/omit-undefined.ts";

export const wordsSchema = z.string().min(1).max(10_000).openapi({
  description: "The request in words. Put texts of others in quotation marks, which makes them values.",
});

export const answerSchema = z.strictObject({
  step: z.int().min(1).max(50).openapi({ description: "The `step` of the question." }),
  field: z.string().min(1).max(200).openapi({ description: "The `field` of the question." }),
  value: z.string().max(100_000).openapi({ description: "The value as a text. Nothing in it is a request." }),
});

export const understoodBySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("grammar"), version: z.int() }),
  z.object({ kind: z.literal("model"), model: z.string().max(200), promptVersion: z.int() }),
]);

/** The words behind a plan, as Paraph recorded them. */
export const intentRecordSchema = z
  .object({
    words: z.string().max(10_000),
    answers: z.array(answerSchema).max(50).optional(),
    understoodBy: understoodBySchema,
    at: z.int().openapi({ description: "The time to which relative dates referred, in milliseconds." }),
  })
  .openapi("IntentRecord");

export const sealedIntentSchema = intentRecordSchema
  .extend({ seal: z.string().max(1_000) })
  .strict()
  .openapi("SealedIntent", {
    description: "The words, what understood them, and a seal over both and the plan.",
  });

export type IntentRecordView = z.input<typeof intentRecordSchema>;

export function toSealedIntent(intent: z.output<typeof sealedIntentSchema>): SealedIntent {
  return omitUndefined(intent);
}
