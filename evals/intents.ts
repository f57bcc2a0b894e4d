import { readFile } from "node:fs/promises";
import type { Json } from "@paraph/core";
import { z } from "zod";

/** The categories of the evaluation. Each is a file of `evals/intents/`. */
export const categories = ["ordinary", "ambiguous", "missing", "forbidden", "injected"] as const;
export type Category = (typeof categories)[number];

const stepSchema = z.strictObject({ capability: z.string(), input: z.unknown() as z.ZodType<Json> });

const intentSchema = z.strictObject({
  id: z.string(),
  language: z.enum(["en", "de", "es"]),
  words: z.string(),
  /**
   * - `plan`: exactly these steps.
   * - `question`: a question with one of these codes, or about one of these fields, and no plan.
   * - `nothing`: no plan, whether Paraph asks or rejects the words.
   */
  expect: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("plan"), steps: z.array(stepSchema).min(1) }),
    z.strictObject({
      kind: z.literal("question"),
      codes: z.array(z.string()).optional(),
      fields: z.array(z.string()).optional(),
    }),
    z.strictObject({ kind: z.literal("nothing") }),
  ]),
  /** The recorded answer of the model, if Paraph asks it. Many are wrong or obey an injection on purpose. */
  model: z
    .strictObject({
      steps: z.array(stepSchema),
      questions: z.array(z.strictObject({ step: z.int(), field: z.string(), message: z.string() })),
    })
    .optional(),
});

/** A request in words with its expected meaning. */
export type EvaluatedIntent = z.output<typeof intentSchema>;

/** Reads the intents of a category, and rejects faulty data. */
export async function readIntents(category: Category): Promise<readonly EvaluatedIntent[]> {
  const text = await readFile(new URL(`./intents/${category}.json`, import.meta.url), "utf8");
  return z.array(intentSchema).parse(JSON.parse(text));
}
