import { z } from "zod";
import { normalizePath } from "../run/path-in-folder.ts";
import type { DeclaredInput } from "./declared-input.ts";
import { compilePattern } from "./pattern.ts";
import type { Tool } from "./tool.ts";

export function createInputSchema({
  inputs,
  leadingInputs,
  definition: { tags },
}: Tool): z.ZodType<ToolInput> {
  const fields = [...inputs].map(
    ([name, declared]) => [name, toFieldSchema(declared, leadingInputs.has(name))] as const,
  );
  const schema = z.strictObject(Object.fromEntries(fields)) as unknown as z.ZodType<ToolInput>;
  return tags.length === 0 ? schema : schema.meta({ "x-paraph-tags": tags });
}

export type ToolInput = Readonly<Record<string, string | number | boolean>>;

function toFieldSchema(declared: DeclaredInput, leads: boolean): z.ZodType {
  const described =
    declared.summary === undefined
      ? toTypeSchema(declared, leads)
      : toTypeSchema(declared, leads).describe(declared.summary);
  if ("default" in declared && declared.default !== undefined) return described.default(declared.default);
  return declared.optional ? described.optional() : described;
}

function toTypeSchema(declared: DeclaredInput, leads: boolean): z.ZodType {
  switch (declared.type) {
    case "string":
      return withPattern(
        toTextSchema(declared.max_length, leads && !declared.allow_leading_dash).min(declared.min_length),
        declared.pattern,
      );
    case "prompt":
      return toTextSchema(declared.max_length, leads && !declared.allow_leading_dash).min(1);
    case "content":
      return toTextSchema(declared.max_length, false);
    case "integer":
      return withBounds(z.int(), declared, leads);
    case "number":
      return withBounds(z.number(), declared, leads);
    case "boolean":
      return z.boolean();
    case "enum":
      return z.enum(declared.values);
    case "path":
      return toTextSchema(4_096, false).min(1).overwrite(normalizePath);
  }
}

/**
 * Returns the schema of a text. It rejects NUL, which would end an argument early, and unpaired surrogates, which would
 * arrive as other characters.
 */
function toTextSchema(longest: number, noDash: boolean): z.ZodString {
  const plain = z
    .string()
    .max(longest)
    .refine(
      (value) => value.isWellFormed() && !value.includes("\0"),
      "must not contain NUL or unpaired surrogates",
    );
  return noDash ? plain.regex(/^(?:[^-]|$)/, leadingDashMessage) : plain;
}

function withPattern(schema: z.ZodString, pattern: string | undefined): z.ZodType {
  const compiled = pattern === undefined ? undefined : compilePattern(pattern);
  if (!compiled) return schema;
  return schema.refine((value) => compiled.matchesWhole(value), `must match \`${pattern}\``);
}

function withBounds(
  schema: z.ZodNumber,
  {
    minimum,
    maximum,
    allow_leading_dash,
  }: { minimum?: number | undefined; maximum?: number | undefined; allow_leading_dash: boolean },
  leads: boolean,
): z.ZodType {
  const above = minimum === undefined ? schema : schema.min(minimum);
  const between = maximum === undefined ? above : above.max(maximum);
  return leads && !allow_leading_dash ? between.min(0, leadingDashMessage) : between;
}

const leadingDashMessage = "must not begin with `-`, because the tool would read it as an option";
