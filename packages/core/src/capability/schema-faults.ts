import type { z } from "zod";
import { findNearest } from "../config/find-nearest.ts";

/** One fault in a value that a person wrote. It contains no part of the value. */
export interface SchemaFault {
  readonly path: readonly PropertyKey[];
  /** The text after the path, such as ` is not a known key. …` or `: expected …`. */
  readonly message: string;
}

/**
 * Returns every fault of a value against its schema. For a misspelt key or word, the fault names the nearest known one.
 */
export function schemaFaults(schema: z.ZodType, value: unknown): readonly SchemaFault[] {
  const read = schema.safeParse(value);
  return read.success ? [] : read.error.issues.flatMap((issue) => toFaults(issue, [], schema, value));
}

/** Returns a path as text, such as `limits[0].per`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${String(part)}`))
    .join("");
}

type Issue = z.core.$ZodIssue;

function toFaults(
  issue: Issue,
  above: readonly PropertyKey[],
  schema: z.ZodType,
  value: unknown,
): SchemaFault[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    const known = listKeys(schema, path);
    return issue.keys.map((key) => ({ path: [...path, key], message: describeUnknownKey(key, known) }));
  }
  if (issue.code === "invalid_union") {
    const branch = findBranch(issue);
    if (branch) return branch.flatMap((inner) => toFaults(inner, path, schema, value));
  }
  if (issue.code === "invalid_value")
    return [{ path, message: describeUnion(issue.values, readValue(value, path)) }];
  if (issue.code === "invalid_key")
    return [{ path, message: `: the name ${issue.issues[0]?.message ?? "is not valid"}` }];
  return [{ path, message: `: ${issue.message.replace(/^Invalid input: /, "")}` }];
}

function describeUnknownKey(key: string, known: readonly string[]): string {
  const meant = findNearest(key, known);
  if (meant !== undefined) return ` is not a known key. Did you mean \`${meant}\`?`;
  return ` is not a known key. Known keys: ${known.map((each) => `\`${each}\``).join(", ") || "none"}.`;
}

function describeUnion(values: readonly unknown[], given: unknown): string {
  const words = values.filter((each) => typeof each === "string");
  const meant = typeof given === "string" ? findNearest(given, words) : undefined;
  const expected = values.map((each) => (typeof each === "string" ? `"${each}"` : String(each)));
  const list = values.length > 1 ? `one of ${expected.join(", ")}` : expected[0];
  return `: expected ${list}.${meant === undefined ? "" : ` Did you mean "${meant}"?`}`;
}

/** Returns the faults of the union branch that the author meant, if only one branch is plausible. */
function findBranch({
  errors,
  message,
}: Extract<Issue, { code: "invalid_union" }>): readonly Issue[] | undefined {
  const misspelt = errors.find((issues) => issues.every(({ code }) => code === "unrecognized_keys"));
  if (misspelt) return misspelt;
  // If the schema has its own message about the whole union, that message is more helpful than the faults of one
  // branch.
  if (message !== "Invalid input") return undefined;
  const near = errors.filter((issues) => issues.every(({ path }) => path.length > 0));
  return near.length === 1 ? near[0] : undefined;
}

function listKeys(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let here = unwrap(schema);
  for (const part of path) here = here.flatMap((each) => inside(each, part)).flatMap(unwrap);
  return [...new Set(here.flatMap((each) => Object.keys(readDefinition(each).shape ?? {})))];
}

interface Definition {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly valueType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly getter?: () => z.ZodType;
}

function readDefinition(schema: z.ZodType): Definition {
  return schema._zod.def as Definition;
}

/** Returns the schemas inside optional, default, union and similar wrappers. */
function unwrap(schema: z.ZodType): z.ZodType[] {
  const { innerType, in: source, options, getter } = readDefinition(schema);
  const behind = options ?? [innerType ?? source ?? getter?.()].filter((each) => each !== undefined);
  return behind.length > 0 ? behind.flatMap(unwrap) : [schema];
}

function inside(schema: z.ZodType, part: PropertyKey): z.ZodType[] {
  const { shape, valueType, element } = readDefinition(schema);
  const found = shape?.[String(part)] ?? valueType ?? element;
  return found ? [found] : [];
}

function readValue(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (here, part) => (here as Record<PropertyKey, unknown> | undefined)?.[part],
    value,
  );
}
