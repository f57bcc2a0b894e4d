import { isJsonObject, type Json, type JsonObject } from "@paraph/core";
import type { ApiDocument } from "./document.ts";
import { followReference, toList } from "./document-node.ts";

/** Combines the schemas of one operation into one JSON Schema. */
export class SchemaBuilder {
  readonly #document: ApiDocument;
  readonly #defs = new Map<string, Json>();
  #parts = 0;

  constructor(document: ApiDocument) {
    this.#document = document;
  }

  /** Converts a schema of the document to one that does not depend on the document. */
  build(schema: Json | undefined): Json {
    return this.#part(schema ?? true, []);
  }

  /** The definitions that the built schemas refer to. */
  get defs(): { readonly $defs?: JsonObject } {
    return this.#defs.size === 0 ? {} : { $defs: Object.fromEntries(this.#defs) };
  }

  #part(schema: Json, within: readonly string[]): Json {
    this.#parts++;
    if (!isJsonObject(schema)) return schema;
    if (typeof schema.$ref === "string") return this.#referred(schema.$ref, schema, within);
    const said = this.#document.version === "3.0" ? upgradeSchema(schema) : schema;
    const made: Record<string, Json> = {};
    for (const [keyword, value] of Object.entries(said)) {
      if (droppedKeywords.has(keyword) || keyword.startsWith("x-")) continue;
      made[keyword] = this.#keyword(keyword, value, within);
    }
    return allowAdditional(dropReadOnlyRequired(made));
  }

  #keyword(keyword: string, value: Json, within: readonly string[]): Json {
    if (schemaMapKeywords.has(keyword) && isJsonObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, this.#part(each, within)]),
      );
    if (schemaListKeywords.has(keyword) && Array.isArray(value))
      return value.map((each) => this.#part(each, within));
    return schemaKeywords.has(keyword) ? this.#part(value, within) : value;
  }

  /**
   * Inlines a reference, so that policy sees the type of the referenced schema. Only recursive or very large schemas
   * stay references.
   */
  #referred(reference: string, schema: JsonObject, within: readonly string[]): Json {
    const { $ref: _, ...beside } = schema;
    const target = followReference(this.#document.root, reference);
    if (!within.includes(reference) && this.#parts < maxParts) {
      const made = this.#part(target, [...within, reference]);
      return this.#document.version === "3.0" || !isJsonObject(made) || Object.keys(beside).length === 0
        ? made
        : { ...made, ...toObjectOrEmpty(this.#part(beside, within)) };
    }
    const name = reference.slice(2).replaceAll(/[^A-Za-z0-9_.-]/g, "_");
    if (!this.#defs.has(name)) {
      // The entry is added before its schema is built, so that a recursive schema finds the entry.
      this.#defs.set(name, true);
      this.#defs.set(name, this.#part(target, [...within, reference]));
    }
    return { $ref: `#/$defs/${name}` };
  }
}

const maxParts = 2_000;

const droppedKeywords = new Set([
  "example",
  "examples",
  "xml",
  "externalDocs",
  "discriminator",
  "$schema",
  "$id",
  "$comment",
]);
const schemaMapKeywords = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
const schemaListKeywords = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const schemaKeywords = new Set([
  ...["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"],
  ...["unevaluatedProperties", "unevaluatedItems"],
]);

/** Converts `nullable` and the boolean exclusive bounds of OpenAPI 3.0 to standard JSON Schema. */
function upgradeSchema({ nullable, exclusiveMinimum, exclusiveMaximum, ...rest }: JsonObject): JsonObject {
  const said: Record<string, Json> = { ...rest };
  if (exclusiveMinimum === true && "minimum" in said) {
    said.exclusiveMinimum = said.minimum!;
    delete said.minimum;
  }
  if (exclusiveMaximum === true && "maximum" in said) {
    said.exclusiveMaximum = said.maximum!;
    delete said.maximum;
  }
  if (nullable !== true) return said;
  if (typeof said.type === "string") said.type = [said.type, "null"];
  if (Array.isArray(said.enum) && !said.enum.includes(null)) said.enum = [...said.enum, null];
  return said;
}

/** Removes from `required` the properties that only the host writes. */
function dropReadOnlyRequired(schema: Record<string, Json>): Record<string, Json> {
  const { properties, required } = schema;
  if (!isJsonObject(properties) || !Array.isArray(required)) return schema;
  const sent = required.filter((name) => !toObjectOrEmpty(properties[String(name)]).readOnly);
  return { ...schema, required: sent };
}

/**
 * Makes `additionalProperties: true` explicit where a schema omits it, because policy treats an omitted one as false.
 */
function allowAdditional(schema: Record<string, Json>): Record<string, Json> {
  const silent = isJsonObject(schema.properties) && !("additionalProperties" in schema);
  return silent && !("unevaluatedProperties" in schema) ? { ...schema, additionalProperties: true } : schema;
}

function toObjectOrEmpty(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Lists the paths of sensitive fields: passwords, write-only fields, and fields that the terms mark. */
export function listSensitivePaths(
  schema: Json,
  path: string,
  marked: readonly string[],
  depth = 0,
): readonly string[] {
  if (!isJsonObject(schema) || depth > 6) return [];
  if (path !== "" && (schema.format === "password" || schema.writeOnly === true || marked.includes(path)))
    return [path];
  const forms = [schema.items ?? true, ...toList(schema.allOf)];
  const named = Object.entries(toObjectOrEmpty(schema.properties)).filter(([name]) => !name.includes("."));
  return [
    ...forms.flatMap((form) => listSensitivePaths(form, path, marked, depth + 1)),
    ...named.flatMap(([name, each]) =>
      listSensitivePaths(each, path === "" ? name : `${path}.${name}`, marked, depth + 1),
    ),
  ];
}
