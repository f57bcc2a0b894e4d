import { type Json, type JsonObject, jsonSchema } from "@paraph/core";
import { z } from "zod";
import { responseOutput } from "../egress/response-output.ts";
import type { ApiDocument } from "./document.ts";
import { resolveReference, toObject, UnusableOperation } from "./document-node.ts";
import { listSensitivePaths, SchemaBuilder } from "./schema.ts";

/** Lists the paths of sensitive fields in an operation's responses. */
export function listSensitiveOutput(
  document: ApiDocument,
  operation: JsonObject,
  marked: readonly string[],
): readonly string[] {
  const paths = Object.entries(toObject(operation.responses)).flatMap(([status, raw]) => {
    if (!/^(2|default)/.test(status)) return [];
    try {
      const { content } = toObject(resolveReference(document.root, raw));
      return Object.values(toObject(content)).flatMap((media) =>
        listSensitivePaths(new SchemaBuilder(document).build(toObject(media).schema), "body", marked),
      );
    } catch (error) {
      // Responses are not validated, so an unreadable response schema does not make the operation unusable.
      if (error instanceof UnusableOperation) return [];
      throw error;
    }
  });
  return [...new Set(paths)];
}

const baseOutputSchema = z.toJSONSchema(responseOutput, { io: "output" }) as unknown as JsonObject;

/**
 * Creates the output schema. It covers the envelope but not the content, because Paraph keeps the response to an effect
 * even if the response differs from the document. Within the content, the schema names only the sensitive fields.
 */
export function createOutputSchema(sensitive: readonly string[]): z.ZodType {
  const name = sensitive.join(" ");
  const known = schemaCache.get(name);
  if (known) return known;
  const schema = jsonSchema(toOutputDocument(sensitive));
  schemaCache.set(name, schema);
  return schema;
}

/** The output schemas built so far. Most operations of a document have the same schema. */
const schemaCache = new Map<string, z.ZodType>();

function toOutputDocument(sensitive: readonly string[]): JsonObject {
  const properties = toObject(baseOutputSchema.properties);
  const body = sensitive.reduce<Json>(
    (schema, path) => withNamedPath(schema, path.split(".").slice(1)),
    properties.body!,
  );
  return { ...baseOutputSchema, properties: { ...properties, body } };
}

function withNamedPath(schema: Json | undefined, path: readonly string[]): Json {
  const here = toObject(schema);
  const [name, ...rest] = path;
  if (name === undefined) return here;
  const properties = toObject(here.properties);
  return { ...here, properties: { ...properties, [name]: withNamedPath(properties[name], rest) } };
}
