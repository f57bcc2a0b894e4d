import { isJsonObject, type Json, type JsonObject, maskText } from "@paraph/core";
import { escapeInvisibleJson, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import type { FormField } from "./edit-types.ts";

/** The posted values of a form, by field name. */
export type PostedForm = Readonly<Record<string, string | undefined>>;

/** An error for a text that is not valid for its field. */
export class FormError extends Error {}

const root = "input";
/** The maximum depth at which the form shows an input as separate fields. It shows deeper parts as JSON. */
const maxDepth = 6;

/**
 * Returns the form fields for an input, according to the JSON Schema of its contract. Parts that the schema does not
 * describe become JSON fields.
 */
export function toFormFields(
  schema: JsonObject,
  input: Json | undefined,
  raw: boolean,
): readonly FormField[] {
  const whole = toFormField(
    { name: root, label: root, schema, value: input, required: true },
    raw ? 0 : maxDepth,
  );
  return whole.kind === "group" ? (whole.fields ?? []) : [whole];
}

/**
 * Returns the input that a form posted. A field that the person did not change keeps its value, even if the browser
 * altered its text.
 */
export function readInput(
  posted: PostedForm,
  schema: JsonObject,
  input: Json | undefined,
  raw: boolean,
): Json {
  const depth = raw ? 0 : maxDepth;
  const value = readField({ name: root, label: root, schema, value: input, required: true }, depth, posted);
  if (value === undefined) throw new FormError("The input is missing.");
  return value;
}

/** Returns the fields with the texts that a form posted, so that a refused form keeps what the person typed. */
export function fillFormFields(fields: readonly FormField[], posted: PostedForm): readonly FormField[] {
  return fields.map(({ fields: members, ...field }) => ({
    ...field,
    value: posted[field.name] ?? field.value,
    ...(members && { fields: fillFormFields(members, posted) }),
  }));
}

/** One position in the input: its schema, its current value and its field name. */
interface InputField {
  readonly name: string;
  readonly label: string;
  readonly schema: JsonObject;
  readonly value: Json | undefined;
  readonly required: boolean;
}

function toFormField(place: InputField, depth: number): FormField {
  const { name, label, required, value, schema } = place;
  const kind = findFieldKind(place, depth);
  const help = schema.description;
  return {
    name,
    label,
    required,
    kind,
    value: formatValue(value, kind),
    omittable: !required && value !== undefined && kind !== "group",
    ...(typeof help === "string" && { help }),
    ...(kind === "group" && { fields: listMembers(place).map((member) => toFormField(member, depth - 1)) }),
    ...((kind === "choice" || kind === "boolean") && {
      options: listOptions(schema).map((one) => escapeInvisibleJson(one)),
    }),
  };
}

function readField(place: InputField, depth: number, posted: PostedForm): Json | undefined {
  const kind = findFieldKind(place, depth);
  if (kind === "group") return readMembers(place, depth, posted);
  const { name, label, required, value, schema } = place;
  if (posted[`omit:${name}`] !== undefined && !required) return undefined;
  const text = posted[name]?.replaceAll("\r\n", "\n");
  if (text === undefined || text === formatValue(value, kind).replaceAll("\r\n", "\n")) return value;
  if (text === maskText) return maskText;
  if (kind === "text") return text === "" && value === undefined && !required ? undefined : text;
  if (text.trim() === "" && !required) return undefined;
  switch (kind) {
    case "number": {
      if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim())) return Number(text);
      throw new FormError(`\`${label}\` must be a number.`);
    }
    case "boolean":
    case "choice": {
      const chosen = listOptions(schema).find((option) => escapeInvisibleJson(option) === text);
      if (chosen !== undefined) return chosen;
      throw new FormError(`\`${label}\` must be one of the listed options.`);
    }
    default:
      return parseJson(text, label);
  }
}

function readMembers(place: InputField, depth: number, posted: PostedForm): JsonObject {
  const known = listMembers(place).map(
    (member) => [member.label, readField(member, depth - 1, posted)] as const,
  );
  // Keeps the members in the order of the original input, so that the edit shows only what the person changed.
  const given = new Map<string, Json>(
    known.filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
  const before = Object.keys(toObject(place.value)).filter((name) => given.has(name));
  const names = new Set([...before, ...given.keys()]);
  return Object.fromEntries([...names].map((name) => [name, given.get(name)!]));
}

function findFieldKind({ schema, value }: InputField, depth: number): FormField["kind"] {
  if (depth <= 0) return "json";
  if (Array.isArray(schema.enum) || schema.const !== undefined) return value === maskText ? "text" : "choice";
  switch (schema.type) {
    case "object": {
      const fits = value === undefined || isJsonObject(value);
      const known = Object.keys(readProperties(schema));
      return fits && Object.keys(toObject(value)).every((name) => known.includes(name)) && known.length > 0
        ? "group"
        : "json";
    }
    case "string":
      return value === undefined || (typeof value === "string" && isSafeText(value)) ? "text" : "json";
    case "number":
    case "integer":
      return value === undefined || typeof value === "number" || value === maskText ? "number" : "json";
    case "boolean":
      return value === undefined || typeof value === "boolean" ? "boolean" : "json";
    default:
      return "json";
  }
}

/**
 * [TRUST 5] Returns whether a form shows the text and posts it back without any change. Returns false for a text with
 * invisible characters or carriage returns.
 */
function isSafeText(text: string): boolean {
  return !text.includes("\r") && escapeInvisibleLines(text).join("\n") === text;
}

function formatValue(value: Json | undefined, kind: FormField["kind"]): string {
  if (value === undefined || kind === "group") return "";
  if (value === maskText || kind === "text") return String(value);
  return kind === "json" ? escapeInvisibleJson(value, 2) : escapeInvisibleJson(value);
}

function listMembers({ name, schema, value }: InputField): InputField[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const given = toObject(value);
  return Object.entries(readProperties(schema)).map(([label, member]) => ({
    name: `${name}/${label}`,
    label,
    schema: isJsonObject(member) ? member : {},
    value: Object.hasOwn(given, label) ? given[label] : undefined,
    required: required.includes(label),
  }));
}

function listOptions(schema: JsonObject): readonly Json[] {
  if (schema.type === "boolean") return [true, false];
  return Array.isArray(schema.enum) ? schema.enum : [schema.const ?? null];
}

function readProperties(schema: JsonObject): JsonObject {
  return toObject(schema.properties);
}

function toObject(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function parseJson(text: string, label: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new FormError(`\`${label}\` is not valid JSON.`);
  }
}
