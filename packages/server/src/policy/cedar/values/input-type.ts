import type { Type, TypeOfAttribute } from "@cedar-policy/cedar-wasm/nodejs";
import { isJsonObject, type Json, type JsonObject } from "@paraph/core";

/** The type of an input as policy sees it: the part of JSON Schema that Cedar has types for. */
export type InputType =
  | { readonly kind: "string" | "long" | "bool" }
  | { readonly kind: "set"; readonly of: InputType }
  | RecordType
  /** A part of the input that never reaches Cedar: a float, union, null, tuple, map or reference. */
  | { readonly kind: "untyped" };

export interface RecordType {
  readonly kind: "record";
  readonly fields: ReadonlyMap<string, { readonly type: InputType; readonly required: boolean }>;
  /** Whether a value may have keys that are not among the fields. The values of such keys never reach Cedar. */
  readonly open: boolean;
}

/**
 * The maximum depth to which Paraph types an input. Without a maximum, the conversion of a recursive schema would never
 * end.
 */
const maxTypeDepth = 5;

const untyped: InputType = { kind: "untyped" };

/** Converts a JSON Schema. Only `type` matters, because every other keyword of JSON Schema can only narrow it. */
export function toInputType(schema: Json | undefined, depth = 0): InputType {
  if (!isJsonObject(schema) || depth > maxTypeDepth) return untyped;
  switch (schema.type) {
    case "string":
      return { kind: "string" };
    case "integer":
      return { kind: "long" };
    case "boolean":
      return { kind: "bool" };
    case "array":
      return toSetType(schema, depth);
    case "object":
      return toRecordType(schema, depth);
    default:
      return untyped;
  }
}

function toSetType(schema: JsonObject, depth: number): InputType {
  if ("prefixItems" in schema) return untyped;
  const of = toInputType(schema.items, depth + 1);
  return of.kind === "untyped" ? untyped : { kind: "set", of };
}

function toRecordType(schema: JsonObject, depth: number): InputType {
  if (depth > 0 && !isJsonObject(schema.properties)) return untyped;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  const fields = properties.map(([name, property]) => {
    const type = isReservedName(name) ? untyped : toInputType(property, depth + 1);
    return [name, { type, required: required.includes(name) }] as const;
  });
  return { kind: "record", fields: new Map(fields), open: isOpenSchema(schema) };
}

/** Whether Cedar's JSON format gives the name a special meaning, as it does with `__entity`. */
function isReservedName(name: string): boolean {
  return name.startsWith("__");
}

/**
 * Whether a value may have unknown keys. An object without `additionalProperties` is closed, because zod removes
 * unknown keys before policy is evaluated.
 */
function isOpenSchema(schema: JsonObject): boolean {
  const composed = [
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "$ref",
    "$dynamicRef",
    "patternProperties",
    "dependentSchemas",
  ];
  return (schema.additionalProperties ?? false) !== false || composed.some((keyword) => keyword in schema);
}

/** Returns the Cedar type, or undefined if Cedar has none. */
export function toCedarType(type: InputType): Type<string> | undefined {
  switch (type.kind) {
    case "string":
      return { type: "String" };
    case "long":
      return { type: "Long" };
    case "bool":
      return { type: "Boolean" };
    case "set": {
      const element = toCedarType(type.of);
      return element && { type: "Set", element };
    }
    case "record":
      return { type: "Record", attributes: toCedarAttributes(type) };
    case "untyped":
      return undefined;
  }
}

function toCedarAttributes(record: RecordType): Record<string, TypeOfAttribute<string>> {
  const attributes: Record<string, TypeOfAttribute<string>> = {};
  for (const [name, { type, required }] of record.fields) {
    const cedarType = toCedarType(type);
    if (cedarType) attributes[name] = { ...cedarType, required };
  }
  return attributes;
}
