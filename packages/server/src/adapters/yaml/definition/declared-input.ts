import { z } from "zod";

/** The declaration of one input in a tool's file. */
export type DeclaredInput = z.output<typeof declaredInput>;

const summary = z.string().min(1).max(500).optional().describe("one line that says what it is");
const optional = z
  .boolean()
  .default(false)
  .describe("may be left out; arguments that name it are then left out too");
const allowLeadingDash = z
  .boolean()
  .default(false)
  .describe("let the value begin an argument with `-`, where it may turn into an option of the tool");

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
      pattern: z.string().max(2_000).optional().describe("RE2: the whole value has to be this"),
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
      below: z.string().describe("the folder of `folders` that it is in and never leaves"),
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
