import { z } from "zod";

/** The rule in a tool's file for reading its output. */
export type OutputRule = z.output<typeof outputRule>;

const path = z
  .string()
  .regex(/^\$/, "a path begins with `$`")
  .describe("a JSON path: `$.usage.input_tokens`");

const eventRule = z.strictObject({
  when: z
    .record(path, z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .optional()
    .describe("only events whose values at these paths are these"),
  path,
  take: z
    .enum(["first", "last", "all"])
    .default("last")
    .describe("of several: one, or all: texts on lines of their own, numbers added up"),
});

const patternText = z
  .string()
  .max(2_000)
  .describe("RE2: its first group, or all of it, where it is first found");

const createTokensRule = <P extends z.ZodType>(pick: P) =>
  z.strictObject({ input: pick.optional(), output: pick.optional() }).optional();

const costDescription = "what it cost, in whole units of money, as the tool tells";
const errorDescription = "where this is found, and is neither false, null nor empty, the tool has failed";

export const outputRule = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("text") }),
    z.strictObject({
      kind: z.literal("json"),
      text: path.optional(),
      data: path.optional().describe("what is handed on as it is: the whole unless said"),
      tokens: createTokensRule(path),
      cost: path.optional().describe(costDescription),
      error: path.optional().describe(errorDescription),
    }),
    z.strictObject({
      kind: z.literal("jsonl"),
      text: eventRule.optional(),
      tokens: createTokensRule(eventRule),
      cost: eventRule.optional().describe(costDescription),
      error: eventRule.optional().describe(errorDescription),
    }),
    z.strictObject({
      kind: z.literal("regex"),
      text: patternText.optional(),
      tokens: createTokensRule(patternText),
      cost: patternText.optional().describe(costDescription),
      error: patternText.optional().describe(errorDescription),
    }),
  ],
  "`kind` is one of text, json, jsonl, regex",
);
