import type { Json, JsonObject } from "@paraph/core";
import { escapeInvisibleJson, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import { mask } from "../http/views/mask.ts";
import type { Field } from "./sections/view.ts";

/** What a form posted, by the names of its fields. */
export type Posted = Readonly<Record<string, string | undefined>>;

/** A text that is not what its field holds. */
export class FormFault extends Error {}

const root = "input";
/** Deeper than this an input is edited as JSON. */
const mostDepth = 6;

/** An input as the fields of a form, by the JSON Schema of its contract; where that does not help, as JSON. */
export function fieldsOf(schema: JsonObject, input: Json | undefined, raw: boolean): readonly Field[] {
  const whole = fieldOf(
    { name: root, label: root, schema, value: input, required: true },
    raw ? 0 : mostDepth,
  );
  return whole.kind === "group" ? (whole.fields ?? []) : [whole];
}

/** The input that a form of those fields posted. What was not touched is what it was, whatever the browser made of it. */
export function inputIn(posted: Posted, schema: JsonObject, input: Json | undefined, raw: boolean): Json {
  const depth = raw ? 0 : mostDepth;
  const value = read({ name: root, label: root, schema, value: input, required: true }, depth, posted);
  if (value === undefined) throw new FormFault("The input is missing.");
  return value;
}

/** One place of the input: its schema, what is there now, and what it is called in the form. */
interface Place {
  readonly name: string;
  readonly label: string;
  readonly schema: JsonObject;
  readonly value: Json | undefined;
  readonly required: boolean;
}

function fieldOf(place: Place, depth: number): Field {
  const { name, label, required, value, schema } = place;
  const kind = kindOf(place, depth);
  const help = schema.description;
  return {
    name,
    label,
    required,
    kind,
    value: shown(value, kind),
    omittable: !required && value !== undefined && kind !== "group",
    ...(typeof help === "string" && { help }),
    ...(kind === "group" && { fields: members(place).map((member) => fieldOf(member, depth - 1)) }),
    ...((kind === "choice" || kind === "boolean") && {
      options: optionsOf(schema).map((one) => escapeInvisibleJson(one)),
    }),
  };
}

function read(place: Place, depth: number, posted: Posted): Json | undefined {
  const kind = kindOf(place, depth);
  if (kind === "group") return readMembers(place, depth, posted);
  const { name, label, required, value, schema } = place;
  if (posted[`omit:${name}`] !== undefined && !required) return undefined;
  const text = posted[name]?.replaceAll("\r\n", "\n");
  if (text === undefined || text === shown(value, kind).replaceAll("\r\n", "\n")) return value;
  if (text === mask) return mask;
  if (kind === "text") return text === "" && value === undefined && !required ? undefined : text;
  if (text.trim() === "" && !required) return undefined;
  switch (kind) {
    case "number": {
      if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim())) return Number(text);
      throw new FormFault(`\`${label}\` is a number.`);
    }
    case "boolean":
    case "choice": {
      const chosen = optionsOf(schema).find((option) => escapeInvisibleJson(option) === text);
      if (chosen !== undefined) return chosen;
      throw new FormFault(`\`${label}\` is one of those on offer.`);
    }
    default:
      return parsed(text, label);
  }
}

function readMembers(place: Place, depth: number, posted: Posted): JsonObject {
  const known = members(place).map((member) => [member.label, read(member, depth - 1, posted)] as const);
  // In the order they had, so that nothing moves that nobody moved.
  const given = new Map<string, Json>(
    known.filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
  const before = Object.keys(objectIn(place.value)).filter((name) => given.has(name));
  const names = new Set([...before, ...given.keys()]);
  return Object.fromEntries([...names].map((name) => [name, given.get(name)!]));
}

function kindOf({ schema, value }: Place, depth: number): Field["kind"] {
  if (depth <= 0) return "json";
  if (Array.isArray(schema.enum) || schema.const !== undefined) return value === mask ? "text" : "choice";
  switch (schema.type) {
    case "object": {
      const fits = value === undefined || isObject(value);
      const known = Object.keys(propertiesOf(schema));
      return fits && Object.keys(objectIn(value)).every((name) => known.includes(name)) && known.length > 0
        ? "group"
        : "json";
    }
    case "string":
      return value === undefined || (typeof value === "string" && isPlain(value)) ? "text" : "json";
    case "number":
    case "integer":
      return value === undefined || typeof value === "number" || value === mask ? "number" : "json";
    case "boolean":
      return value === undefined || typeof value === "boolean" ? "boolean" : "json";
    default:
      return "json";
  }
}

/** [TRUST 5] A form shows it as it is and gives it back as it was: nothing hidden, nothing a browser would change. */
function isPlain(text: string): boolean {
  return !text.includes("\r") && escapeInvisibleLines(text).join("\n") === text;
}

function shown(value: Json | undefined, kind: Field["kind"]): string {
  if (value === undefined || kind === "group") return "";
  if (value === mask || kind === "text") return String(value);
  return kind === "json" ? escapeInvisibleJson(value, 2) : escapeInvisibleJson(value);
}

function members({ name, schema, value }: Place): Place[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const given = objectIn(value);
  return Object.entries(propertiesOf(schema)).map(([label, member]) => ({
    name: `${name}/${label}`,
    label,
    schema: isObject(member) ? member : {},
    value: Object.hasOwn(given, label) ? given[label] : undefined,
    required: required.includes(label),
  }));
}

function optionsOf(schema: JsonObject): readonly Json[] {
  if (schema.type === "boolean") return [true, false];
  return Array.isArray(schema.enum) ? schema.enum : [schema.const ?? null];
}

function propertiesOf(schema: JsonObject): JsonObject {
  return objectIn(schema.properties);
}

function objectIn(value: Json | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string, label: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new FormFault(`\`${label}\` is not valid JSON.`);
  }
}
