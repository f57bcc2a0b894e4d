import type { Json, JsonObject } from "@paraph/core";
import { below, type Place, top } from "./texts.ts";

/** A string of an input, and what the contract's schema says of it beside its type. */
export interface Declared {
  readonly place: Place;
  readonly text: string;
  readonly message: readonly JsonObject[];
}

/** Every string of the input that the schema describes, with each subschema that applies to it. */
export function* declaredIn(schema: JsonObject, input: Json): Generator<Declared> {
  const open: { place: Place; value: Json; schemas: JsonObject[] }[] = [
    { place: top, value: input, schemas: resolved([schema], schema, input) },
  ];
  for (let here = open.pop(); here; here = open.pop()) {
    const { place, value, schemas } = here;
    if (typeof value === "string") yield { place, text: value, message: schemas };
    for (const [step, ordinal, item] of childrenOf(value).reverse()) {
      const applying = resolved(
        schemas.flatMap((each) => under(each, step)),
        schema,
        item,
      );
      if (applying.length > 0)
        open.push({ place: below(place, step, ordinal), value: item, schemas: applying });
    }
  }
}

function childrenOf(value: Json): [step: string | number, ordinal: number, item: Json][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, index, item]);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, item], ordinal) => [name, ordinal, item]);
}

/** The subschemas for one property or item. */
function under(schema: JsonObject, step: string | number): Json[] {
  if (typeof step === "number") {
    const { prefixItems, items } = schema;
    const own = Array.isArray(prefixItems) ? prefixItems[step] : undefined;
    return [own ?? items ?? null];
  }
  const { properties, additionalProperties } = schema;
  const own = isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
  return [own ?? additionalProperties ?? null];
}

/** A schema with what it refers to and is composed of, as far as that fits the value. Each is taken once, so references may go in circles. */
function resolved(schemas: readonly Json[], root: JsonObject, value: Json): JsonObject[] {
  const found = new Set<JsonObject>();
  const open = [...schemas];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (!isObject(here) || found.has(here) || !mayFit(here, value)) continue;
    found.add(here);
    if (typeof here.$ref === "string") open.push(referred(here.$ref, root));
    for (const part of [here.allOf, here.anyOf, here.oneOf]) if (Array.isArray(part)) open.push(...part);
  }
  return [...found];
}

/** Only within the document: a contract's schema refers to nothing outside. */
function referred(reference: string, root: JsonObject): Json {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return null;
  const steps = reference
    .slice(2)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let here: Json = root;
  for (const step of steps) {
    if (!isObject(here) || !Object.hasOwn(here, step)) return null;
    here = here[step]!;
  }
  return here;
}

/** Leaves out the branches of a union that are plainly not the value's: another type, or another constant in a property. */
function mayFit(schema: JsonObject, value: Json): boolean {
  if (typeof schema.type === "string" && schema.type !== "null" && schema.type !== typeOf(value))
    return false;
  if (!isObject(schema.properties) || !isObject(value)) return true;
  return Object.entries(schema.properties).every(([name, property]) => {
    const constant = isObject(property) ? property.const : undefined;
    return constant === undefined || typeof constant === "object" || value[name] === constant;
  });
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
