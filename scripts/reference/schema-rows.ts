import type { z } from "zod";
import { formatTable, toCode, toSentence } from "./markdown.ts";

/** One key of a schema, as a row of a table. */
export interface SchemaRow {
  /** The path of the key, such as `limits[].window` or `remotes.<name>.url`. */
  readonly path: string;
  readonly type: string;
  /** The default as Markdown. `required` if the key has none. */
  readonly default: string;
  /** The description as sentences, without the default. */
  readonly description: string;
  /** The description as the schema states it. */
  readonly written: string | undefined;
}

type Schema = z.core.$ZodType;

interface Unwrapped {
  readonly schema: Schema;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly isOptional: boolean;
  readonly default: unknown;
}

/** Lists all keys of an object schema, with the keys of nested objects after their parent. */
export function listSchemaRows(schema: Schema, prefix = "", isLeaf = (_path: string) => false): SchemaRow[] {
  return listObjects(unwrap(schema).schema).flatMap(({ shape, shared }) =>
    Object.entries(shape).flatMap(([key, value]) => {
      const path = prefix === "" ? key : `${prefix}.${key}`;
      const row = toRow(path, value, shared !== undefined && !shared.has(key));
      const { meta } = unwrap(value);
      return meta.typeName !== undefined || isLeaf(path)
        ? [row]
        : [row, ...listInnerRows(value, path, isLeaf)];
    }),
  );
}

/** Lists the rows of the objects inside a value: in an array, a record, a union or the value itself. */
export function listInnerRows(value: Schema, path: string, isLeaf = (_path: string) => false): SchemaRow[] {
  const { schema } = unwrap(value);
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  if (def.type === "array") return listInnerRows(def.element, `${path}[]`, isLeaf);
  if (def.type === "record") return listInnerRows(def.valueType, `${path}.<name>`, isLeaf);
  if (def.type === "object" || def.type === "union") return listSchemaRows(schema, path, isLeaf);
  return [];
}

/** Returns the metadata of a schema, from the schema itself and from the schemas that it wraps. */
export function readMeta(schema: Schema): Readonly<Record<string, unknown>> {
  return unwrap(schema).meta;
}

/** Formats the keys of a schema as a table. */
export function formatSchemaTable(rows: readonly SchemaRow[]): string {
  return formatTable(
    ["Key", "Type", "Default", "Description"],
    rows.map(({ path, type, default: fallback, description }) => [toCode(path), type, fallback, description]),
  );
}

function toRow(path: string, value: Schema, isInSomeBranches: boolean): SchemaRow {
  const { meta, isOptional, default: fallback } = unwrap(value);
  const written = meta.description as string | undefined;
  const { text, stated } = splitDefault(written ?? "");
  return {
    path,
    type: formatType(value),
    default:
      stated ??
      (fallback !== undefined ? formatDefault(fallback) : isOptional || isInSomeBranches ? "" : "required"),
    description: toSentence(text),
    written,
  };
}

/** Splits `… (default: X).` into the text and the default. */
function splitDefault(description: string): { readonly text: string; readonly stated: string | undefined } {
  const found = / \(default: ((?:[^()]|\([^()]*\))*)\)/.exec(description);
  if (!found) return { text: description, stated: undefined };
  const stated = found[1]!;
  return {
    text: description.replace(found[0], ""),
    stated: /^(?:\d+|true|false)$/.test(stated) ? toCode(stated) : stated,
  };
}

function formatDefault(value: unknown): string {
  if (Array.isArray(value) && value.length > 0) return value.map((each) => toCode(String(each))).join(", ");
  return toCode(typeof value === "string" ? value : formatLiteral(value));
}

/** Formats a value as TypeScript code, such as `{ name: "Paraph" }`. */
function formatLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatLiteral).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, each]) => `${key}: ${formatLiteral(each)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

interface ObjectBranch {
  readonly shape: Readonly<Record<string, Schema>>;
  /** The keys that all branches of a union have, or undefined if the object is no branch of a union. */
  readonly shared?: ReadonlySet<string>;
}

/** Lists the objects of a schema. The objects of a union do not repeat the keys of earlier ones. */
function listObjects(schema: Schema): ObjectBranch[] {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  if (def.type === "object") return [{ shape: def.shape }];
  if (def.type !== "union") return [];
  const shapes = def.options.map((option) => listObjects(unwrap(option).schema)[0]?.shape ?? {});
  const shared = new Set(
    Object.keys(shapes.find((shape) => Object.keys(shape).length > 0) ?? {}).filter((key) =>
      shapes.every((shape) => Object.keys(shape).length === 0 || key in shape),
    ),
  );
  const known = new Set<string>();
  return shapes.map((shape) => {
    const fresh = Object.entries(shape).filter(([key]) => !known.has(key));
    for (const [key] of fresh) known.add(key);
    return { shape: Object.fromEntries(fresh), ...(shapes.length > 1 && { shared }) };
  });
}

/** Removes the wrappers for optional values, defaults and transformations. Outer metadata overrides inner metadata. */
function unwrap(schema: Schema): Unwrapped {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  const meta = (schema as z.ZodType).meta?.() ?? {};
  switch (def.type) {
    case "optional":
      return { ...unwrap(def.innerType), ...merge(def.innerType, meta), isOptional: true };
    case "default":
    case "prefault": {
      const inner = unwrap(def.innerType);
      // An object with defaults for all of its keys needs no default of its own: its keys show theirs.
      const fallback = def.type === "prefault" ? undefined : def.defaultValue;
      return { ...inner, ...merge(def.innerType, meta), isOptional: true, default: fallback };
    }
    case "pipe":
      return { ...unwrap(def.in), ...merge(def.in, meta) };
    default:
      return { schema, meta, isOptional: false, default: undefined };
  }
}

function merge(inner: Schema, meta: Readonly<Record<string, unknown>>): Pick<Unwrapped, "meta"> {
  return { meta: { ...unwrap(inner).meta, ...meta } };
}

/** Formats the type of a value in the notation of TypeScript. */
function formatType(value: Schema): string {
  const { schema, meta } = unwrap(value);
  if (typeof meta.typeName === "string") return toCode(meta.typeName);
  return toCode(toTypeText(schema));
}

function toTypeText(value: Schema): string {
  const { schema, meta } = unwrap(value);
  if (typeof meta.typeName === "string") return meta.typeName;
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "string":
      return "string";
    case "number":
    case "int" as never:
      return "number";
    case "boolean":
      return "boolean";
    case "enum":
      return Object.values(def.entries)
        .map((each) => JSON.stringify(each))
        .join(" | ");
    case "literal":
      return def.values.map((each) => JSON.stringify(each)).join(" | ");
    case "array": {
      const element = toTypeText(def.element);
      return element.includes(" ") && !element.startsWith("{") ? `(${element})[]` : `${element}[]`;
    }
    case "record":
      return `Record<string, ${toTypeText(def.valueType)}>`;
    case "union":
      return [...new Set(def.options.map(toTypeText))].join(" | ");
    case "object":
      return "object";
    // Paraph uses template literals only for durations.
    case "template_literal":
      return "duration";
    default:
      throw new Error(`The reference cannot name the type \`${def.type}\`. Add it, or set \`typeName\`.`);
  }
}
