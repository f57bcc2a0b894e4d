import { z } from "zod";

/** The declaration of one input in a tool's file. */
export type DeclaredInput = z.output<typeof declaredInput>;

const summary = z.string().min(1).max(500).optional().describe("a description in one line");
const optional = z
  .boolean()
  .default(false)
  .describe("whether callers may omit it; arguments that use it are then omitted too");
const allowLeadingDash = z
  .boolean()
  .default(false)
  .describe("allow a value that begins with `-`, which the tool may read as an option");

const textFields = { summary, optional, allow_leading_dash: allowLeadingDash };

export const declaredInput = z.discriminatedUnion(
  "type",
  [
    z.strictObject({
      type: z.literal("string"),
      ...textFields,
      default: z.string().optional(),
      min_length: z.int().nonnegative().default(0),
      max_length: z.int().positive().max(100_000).default(8_192),
      pattern: z.string().max(2_000).optional().describe("an RE2 pattern that must match the whole value"),
    }),
    z.strictObject({
      type: z.literal("integer"),
      ...textFields,
      default: z.int().optional(),
      minimum: z.int().optional(),
      maximum: z.int().optional(),
    }),
    z.strictObject({
      type: z.literal("number"),
      ...textFields,
      default: z.number().optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
    }),
    z.strictObject({ type: z.literal("boolean"), summary, optional, default: z.boolean().optional() }),
    z.strictObject({
      type: z.literal("enum"),
      summary,
      optional,
      values: z.array(z.string().min(1)).min(1),
      default: z.string().optional(),
    }),
    z.strictObject({
      type: z.literal("path"),
      summary,
      optional,
      below: z.string().describe("the folder, from `folders`, that must contain the path"),
    }),
    z.strictObject({
      type: z.literal("content"),
      summary,
      optional,
      extension: z
        .string()
        .regex(/^[a-z0-9]{1,12}$/)
        .default("txt"),
      max_length: z.int().positive().max(4_194_304).default(1_048_576),
    }),
    z.strictObject({
      type: z.literal("prompt"),
      ...textFields,
      max_length: z.int().positive().max(4_194_304).default(1_048_576),
    }),
  ],
  "`type` is one of string, integer, number, boolean, enum, path, content, prompt",
);
