import type { Json, JsonObject } from "@paraph/core";

/** A tool's input schema as a contract carries it. */
export function toContractInput(given: JsonObject): JsonObject {
  return allowAdditional(given) as JsonObject;
}

/** What a tool's capability puts out: the server's answer as it is, so that a client of MCP can be given it back. */
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

/** An object that says nothing of other keys may have them; it is said aloud, because policy takes silence for a no. */
function allowAdditional(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  const open = mapSchemas(schema, allowAdditional);
  const silent = isJsonObject(open.properties) || open.type === "object";
  return silent && !("additionalProperties" in open) && !("unevaluatedProperties" in open)
    ? { ...open, additionalProperties: true }
    : open;
}

/** A schema that has moved into another one: what it says of its own places is true of the new ones. */
function rebaseReferences(schema: Json, place: string): Json {
  if (!isJsonObject(schema)) return schema;
  const moved = mapSchemas(schema, (each) => rebaseReferences(each, place));
  const { $ref } = moved;
  const local = typeof $ref === "string" && ($ref === "#" || $ref.startsWith("#/"));
  return local ? { ...moved, $ref: `${place}${$ref.slice(1)}` } : moved;
}

/** With every schema inside it exchanged; what only looks like one, in `const` or `enum`, is left alone. */
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

function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
