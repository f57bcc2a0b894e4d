import { isJsonObject, type Json, type JsonObject } from "@paraph/core";
import { createChildPlace, type InputPlace, rootPlace } from "./input-texts.ts";

/** A string of an input, with the subschemas of the contract that describe it. */
export interface DescribedString {
  readonly place: InputPlace;
  readonly text: string;
  readonly schemas: readonly JsonObject[];
}

/** Finds every string of the input that the schema describes, with each subschema that applies to it. */
export function* findDescribedStrings(schema: JsonObject, input: Json): Generator<DescribedString> {
  const open: { place: InputPlace; value: Json; schemas: JsonObject[] }[] = [
    { place: rootPlace, value: input, schemas: resolveSchemas([schema], schema, input) },
  ];
  for (let here = open.pop(); here; here = open.pop()) {
    const { place, value, schemas } = here;
    if (typeof value === "string") yield { place, text: value, schemas: schemas };
    for (const [step, ordinal, item] of listChildren(value).reverse()) {
      const applying = resolveSchemas(
        schemas.flatMap((each) => findSubschemas(each, step)),
        schema,
        item,
      );
      if (applying.length > 0)
        open.push({ place: createChildPlace(place, step, ordinal), value: item, schemas: applying });
    }
  }
}

function listChildren(value: Json): [step: string | number, ordinal: number, item: Json][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, index, item]);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, item], ordinal) => [name, ordinal, item]);
}

function findSubschemas(schema: JsonObject, step: string | number): Json[] {
  if (typeof step === "number") {
    const { prefixItems, items } = schema;
    const own = Array.isArray(prefixItems) ? prefixItems[step] : undefined;
    return [own ?? items ?? null];
  }
  const { properties, additionalProperties } = schema;
  const own = isJsonObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
  return [own ?? additionalProperties ?? null];
}

/**
 * Returns the given schemas, and all schemas that they reference or list in `allOf`, `anyOf` or `oneOf`. Leaves out
 * schemas that do not fit the value. Each schema is visited once, so references may be circular.
 */
function resolveSchemas(schemas: readonly Json[], root: JsonObject, value: Json): JsonObject[] {
  const found = new Set<JsonObject>();
  const open = [...schemas];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (!isJsonObject(here) || found.has(here) || !canFit(here, value)) continue;
    found.add(here);
    if (typeof here.$ref === "string") open.push(resolveReference(here.$ref, root));
    for (const part of [here.allOf, here.anyOf, here.oneOf]) if (Array.isArray(part)) open.push(...part);
  }
  return [...found];
}

/**
 * Resolves a reference within the document. Returns null for any other reference, because a contract's schema refers to
 * nothing outside its document.
 */
function resolveReference(reference: string, root: JsonObject): Json {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return null;
  const steps = reference
    .slice(2)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let here: Json = root;
  for (const step of steps) {
    if (!isJsonObject(here) || !Object.hasOwn(here, step)) return null;
    here = here[step]!;
  }
  return here;
}

/**
 * Whether a branch of a union can describe the value. A different type, or a different constant in a property, excludes
 * the branch.
 */
function canFit(schema: JsonObject, value: Json): boolean {
  if (typeof schema.type === "string" && schema.type !== "null" && schema.type !== readJsonType(value))
    return false;
  if (!isJsonObject(schema.properties) || !isJsonObject(value)) return true;
  return Object.entries(schema.properties).every(([name, property]) => {
    const constant = isJsonObject(property) ? property.const : undefined;
    return constant === undefined || typeof constant === "object" || value[name] === constant;
  });
}

function readJsonType(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}
