import { z } from "zod";

/** How a tool's file says what its output means. */
export type OutputRule = z.output<typeof outputRule>;

const path = z
  .string()
  .regex(/^\$/, "a path begins with `$`")
  .describe("a JSON path: `$.usage.input_tokens`");

const fromEvent = z.strictObject({
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

const pattern = z.string().max(2_000).describe("RE2: its first group, or all of it, where it is first found");

const tokensFrom = <P extends z.ZodType>(pick: P) =>
  z.strictObject({ input: pick.optional(), output: pick.optional() }).optional();

const cost = "what it cost, in whole units of money, as the tool tells";
const error = "where this is found, and is neither false, null nor empty, the tool has failed";

export const outputRule = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("text") }),
    z.strictObject({
      kind: z.literal("json"),
      text: path.optional(),
      data: path.optional().describe("what is handed on as it is: the whole unless said"),
      tokens: tokensFrom(path),
      cost: path.optional().describe(cost),
      error: path.optional().describe(error),
    }),
    z.strictObject({
      kind: z.literal("jsonl"),
      text: fromEvent.optional(),
      tokens: tokensFrom(fromEvent),
      cost: fromEvent.optional().describe(cost),
      error: fromEvent.optional().describe(error),
    }),
    z.strictObject({
      kind: z.literal("regex"),
      text: pattern.optional(),
      tokens: tokensFrom(pattern),
      cost: pattern.optional().describe(cost),
      error: pattern.optional().describe(error),
    }),
  ],
  "`kind` is one of text, json, jsonl, regex",
);
