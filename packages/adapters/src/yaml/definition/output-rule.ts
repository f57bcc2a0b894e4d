import { z } from "zod";

/** The part of a tool's definition that says how to read the tool's output. */
export type OutputRule = z.output<typeof outputRule>;

const path = z.string().regex(/^\$/, "must begin with `$`").describe("a JSON path: `$.usage.input_tokens`");

const eventRule = z.strictObject({
  when: z
    .record(path, z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .optional()
    .describe("only events with these values at these paths"),
  path,
  take: z
    .enum(["first", "last", "all"])
    .default("last")
    .describe("which matches to use; all puts each text on its own line and adds up numbers"),
});

const patternText = z
  .string()
  .max(2_000)
  .describe("an RE2 pattern; takes the first group of the first match, or the whole match without a group");

const createTokensRule = <P extends z.ZodType>(pick: P) =>
  z.strictObject({ input: pick.optional(), output: pick.optional() }).optional();

const costDescription = "the cost that the tool reports, in whole units of the currency";
const errorDescription = "if this exists and is not false, null or empty, the tool has failed";

export const outputRule = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("text") }),
    z.strictObject({
      kind: z.literal("json"),
      text: path.optional(),
      data: path.optional().describe("the part to return unchanged (default: the whole output)"),
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
    z.strictObject({
      kind: z.literal("code"),
      reader: z
        .string()
        .min(1)
        .describe("the name of a function in the option `outputReaders` of the adapter"),
    }),
  ],
  "`kind` is one of text, json, jsonl, regex, code",
);
