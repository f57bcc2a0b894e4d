import { type Json, type JsonObject, jsonSchema } from "@paraph/core";
import { z } from "zod";
import { answerOutput } from "../../outbound/answer.ts";
import type { Document } from "./document.ts";
import { objectIn, resolved, Unusable } from "./node.ts";
import { Schemas, sensitiveIn } from "./schema.ts";

/** The paths in an operation's answers of what must not be shown. */
export function sensitiveOutput(
  document: Document,
  operation: JsonObject,
  marked: readonly string[],
): readonly string[] {
  const paths = Object.entries(objectIn(operation.responses)).flatMap(([status, raw]) => {
    if (!/^(2|default)/.test(status)) return [];
    try {
      const { content } = objectIn(resolved(document.root, raw));
      return Object.values(objectIn(content)).flatMap((media) =>
        sensitiveIn(new Schemas(document).made(objectIn(media).schema), "body", marked),
      );
    } catch (error) {
      // What a host answers is taken as it comes: a schema of it that cannot be read is no reason to go without.
      if (error instanceof Unusable) return [];
      throw error;
    }
  });
  return [...new Set(paths)];
}

const plain = z.toJSONSchema(answerOutput, { io: "output" }) as unknown as JsonObject;

/**
 * What is promised of an answer: the envelope, not the content. What a host answers to something it has done is kept,
 * whether it looks as the document says or not. Only what must not be shown is named in it.
 */
export function outputSchema(sensitive: readonly string[]): z.ZodType {
  const name = sensitive.join(" ");
  const known = made.get(name);
  if (known) return known;
  const schema = jsonSchema(outputDocument(sensitive));
  made.set(name, schema);
  return schema;
}

/** Most operations of a document have the same: a thousand copies would be made for nothing. */
const made = new Map<string, z.ZodType>();

function outputDocument(sensitive: readonly string[]): JsonObject {
  const properties = objectIn(plain.properties);
  const body = sensitive.reduce<Json>(
    (schema, path) => naming(schema, path.split(".").slice(1)),
    properties.body!,
  );
  return { ...plain, properties: { ...properties, body } };
}

function naming(schema: Json | undefined, path: readonly string[]): Json {
  const here = objectIn(schema);
  const [name, ...rest] = path;
  if (name === undefined) return here;
  const properties = objectIn(here.properties);
  return { ...here, properties: { ...properties, [name]: naming(properties[name], rest) } };
}
