import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { canonical } from "../receipts/digest.ts";
import type { Contract } from "./contract.ts";

/**
 * Returns the reasons why a contract may not replace a released contract of the same name and version. An empty list
 * means that it may replace the released contract. The new contract must accept everything that callers send and return
 * everything that callers read. It must not be more dangerous or less repeatable than the released contract promised to
 * callers and approvers.
 */
export function incompatibilities(released: Contract, current: Contract): string[] {
  const promises = [
    "name",
    "version",
    "effect",
    "risk",
    "idempotency",
    "previews",
    "performer",
    "composite",
  ] as const;
  return [
    ...promises
      .filter((name) => released[name] !== current[name])
      .map((name) => `${name} was \`${released[name]}\` and is \`${current[name]}\``),
    ...released.sensitive
      .filter((field) => !current.sensitive.includes(field))
      .map((field) => `\`${field}\` is no longer sensitive`),
    ...findRejected(current.input, released.input, { place: "input", grows: false }),
    ...findRejected(released.output, current.output, { place: "output", grows: true }),
  ];
}

/**
 * Returns the reasons why a schema may not replace the released schema of the same document. The new schema must accept
 * every document that the released one accepts.
 */
export function documentIncompatibilities(released: Json, current: Json): string[] {
  return findRejected(current, released, { place: "document", grows: false });
}

interface At {
  readonly place: string;
  /**
   * Whether `narrow` may have properties that `wide` does not know. True for an output, because readers ignore unknown
   * properties. False for an input or a document, because properties that its author writes would be lost.
   */
  readonly grows: boolean;
}

/** Returns a description of everything that `narrow` allows in a document and `wide` rejects. */
function findRejected(wide: Json, narrow: Json, at: At): string[] {
  if (!isJsonObject(wide) || !isJsonObject(narrow))
    return canonical(wide) === canonical(narrow) ? [] : [`${at.place} changed`];
  if (canonical(bare(wide)) === canonical(bare(narrow)) || Object.keys(bare(wide)).length === 0) return [];
  if (isArray(narrow.anyOf)) return narrow.anyOf.flatMap((option) => findRejected(wide, option, at));
  if (isArray(wide.anyOf))
    return wide.anyOf.some((option) => findRejected(option, narrow, at).length === 0)
      ? []
      : [`${at.place} accepts fewer values`];
  return [
    ...findRejectedTypes(wide, narrow, at),
    ...findRejectedValues(wide, narrow, at),
    ...findRejectedBounds(wide, narrow, at),
    ...findRejectedObjects(wide, narrow, at),
    ...findRejectedItems(wide, narrow, at),
  ];
}

function findRejectedTypes(wide: JsonObject, narrow: JsonObject, { place }: At): string[] {
  if (
    wide.type === undefined ||
    wide.type === narrow.type ||
    (wide.type === "number" && narrow.type === "integer")
  )
    return [];
  return [`${place} changed from type ${String(narrow.type)} to type ${String(wide.type)}`];
}

function findRejectedValues(wide: JsonObject, narrow: JsonObject, { place }: At): string[] {
  const allowed = (schema: JsonObject) =>
    isArray(schema.enum) ? schema.enum : schema.const === undefined ? undefined : [schema.const];
  const wider = allowed(wide)?.map(canonical);
  if (!wider) return [];
  const missing = allowed(narrow)
    ?.map(canonical)
    .filter((value) => !wider.includes(value)) ?? ["any value"];
  return missing.map((value) => `${place} no longer allows ${value}`);
}

const lower = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const upper = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const known = [
  ...lower,
  ...upper,
  "type",
  "enum",
  "const",
  "anyOf",
  "properties",
  "required",
  "items",
  "additionalProperties",
  "propertyNames",
];

function findRejectedBounds(wide: JsonObject, narrow: JsonObject, { place }: At): string[] {
  const tighter = (name: string, sign: 1 | -1) => {
    const bound = wide[name];
    return (
      bound !== undefined &&
      (narrow[name] === undefined || sign * Number(bound) > sign * Number(narrow[name]))
    );
  };
  const bounds = [...lower.filter((name) => tighter(name, 1)), ...upper.filter((name) => tighter(name, -1))];
  // Finds changed keywords that this file cannot compare. Any change of such a keyword counts as incompatible.
  const others = Object.keys(bare(wide)).filter(
    (name) => !known.includes(name) && canonical(wide[name]!) !== canonical(narrow[name] ?? null),
  );
  return [...bounds, ...others].map((name) => `${place} has a tighter ${name}`);
}

function findRejectedObjects(wide: JsonObject, narrow: JsonObject, at: At): string[] {
  const wider = properties(wide);
  const narrower = properties(narrow);
  const demanded = required(wide).filter((name) => !required(narrow).includes(name));
  const gone = at.grows ? [] : Object.keys(narrower).filter((name) => !(name in wider));
  return [
    ...demanded.map((name) =>
      at.grows ? `${at.place}.${name} is no longer always present` : `${at.place}.${name} is now required`,
    ),
    ...gone.map((name) => `${at.place}.${name} was removed`),
    ...Object.keys(wider).flatMap((name) =>
      name in narrower
        ? findRejected(wider[name]!, narrower[name]!, { ...at, place: `${at.place}.${name}` })
        : [],
    ),
  ];
}

function findRejectedItems(wide: JsonObject, narrow: JsonObject, at: At): string[] {
  if (wide.items === undefined) return [];
  return findRejected(wide.items, narrow.items ?? {}, { ...at, place: `${at.place}[]` });
}

/** Returns a schema without the keywords that only explain it. */
function bare(schema: JsonObject): JsonObject {
  const {
    $schema: _schema,
    title: _title,
    description: _description,
    default: _default,
    examples: _examples,
    ...rest
  } = schema;
  return rest;
}

const properties = (schema: JsonObject): JsonObject =>
  isJsonObject(schema.properties) ? schema.properties : {};
const required = (schema: JsonObject): readonly Json[] => (isArray(schema.required) ? schema.required : []);
const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
