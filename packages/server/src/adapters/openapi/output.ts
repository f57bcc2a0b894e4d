import { type Json, type JsonObject, jsonSchema } from "@paraph/core";
import { z } from "zod";
import { responseOutput } from "../../outbound/response-output.ts";
import type { ApiDocument } from "./document.ts";
import { resolveReference, toObject, UnusableOperation } from "./document-node.ts";
import { listSensitivePaths, SchemaBuilder } from "./schema.ts";

/** The paths in an operation's answers of what must not be shown. */
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
      // What a host answers is taken as it comes: a schema of it that cannot be read is no reason to go without.
      if (error instanceof UnusableOperation) return [];
      throw error;
    }
  });
  return [...new Set(paths)];
}

const baseOutputSchema = z.toJSONSchema(responseOutput, { io: "output" }) as unknown as JsonObject;

/**
 * What is promised of an answer: the envelope, not the content. What a host answers to something it has done is kept,
 * whether it looks as the document says or not. Only what must not be shown is named in it.
 */
export function createOutputSchema(sensitive: readonly string[]): z.ZodType {
  const name = sensitive.join(" ");
  const known = schemaCache.get(name);
  if (known) return known;
  const schema = jsonSchema(toOutputDocument(sensitive));
  schemaCache.set(name, schema);
  return schema;
}

/** Most operations of a document have the same: a thousand copies would be made for nothing. */
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
