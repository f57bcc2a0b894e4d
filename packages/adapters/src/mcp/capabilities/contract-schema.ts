import { isJsonObject, type Json, type JsonObject } from "@paraph/core";

/** Converts a tool's input schema to the input schema of a contract. */
export function toContractInput(given: JsonObject): JsonObject {
  return allowAdditional(given) as JsonObject;
}

/**
 * Returns the output schema of a tool's capability. The output is the server's answer unchanged, so that Paraph can
 * pass it on to an MCP client.
 */
export function toContractOutput(given: JsonObject | undefined): JsonObject {
  const {
    $schema,
    $id: _,
    ...inner
  } = (given ? allowAdditional(given) : { type: "object", additionalProperties: true }) as JsonObject;
  return {
    ...($schema !== undefined && { $schema }),
    type: "object",
    properties: {
      content: {
        type: "array",
        items: {
          type: "object",
          properties: { type: { type: "string" } },
          required: ["type"],
          additionalProperties: true,
        },
      },
      structuredContent: rebaseReferences(inner, structuredPath),
    },
    required: ["content"],
    additionalProperties: false,
  };
}

const structuredPath = "#/properties/structuredContent";

/**
 * Makes `additionalProperties: true` explicit where a schema omits it, because policy treats a missing
 * `additionalProperties` as false.
 */
function allowAdditional(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  const open = mapSchemas(schema, allowAdditional);
  const silent = isJsonObject(open.properties) || open.type === "object";
  return silent && !("additionalProperties" in open) && !("unevaluatedProperties" in open)
    ? { ...open, additionalProperties: true }
    : open;
}

/** Adjusts the local references of a schema that is embedded in another one. */
function rebaseReferences(schema: Json, place: string): Json {
  if (!isJsonObject(schema)) return schema;
  const moved = mapSchemas(schema, (each) => rebaseReferences(each, place));
  const { $ref } = moved;
  const local = typeof $ref === "string" && ($ref === "#" || $ref.startsWith("#/"));
  return local ? { ...moved, $ref: `${place}${$ref.slice(1)}` } : moved;
}

/**
 * Returns the schema with every subschema replaced. Values in `const` or `enum` that look like schemas stay unchanged.
 */
function mapSchemas(schema: JsonObject, body: (schema: Json) => Json): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (schemaKeywords.has(keyword)) return [keyword, Array.isArray(value) ? value.map(body) : body(value)];
      if (schemaListKeywords.has(keyword) && Array.isArray(value)) return [keyword, value.map(body)];
      if (schemaMapKeywords.has(keyword) && isJsonObject(value))
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, body(each)]))];
      return [keyword, value];
    }),
  );
}

const schemaMapKeywords = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
const schemaListKeywords = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const schemaKeywords = new Set([
  ...[
    "items",
    "additionalItems",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
  ],
  ...["unevaluatedProperties", "unevaluatedItems"],
]);
