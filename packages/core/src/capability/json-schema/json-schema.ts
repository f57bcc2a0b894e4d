import { z } from "zod";
import type { Json, JsonObject } from "../../json.ts";
import { ParaphError } from "../../paraph-error.ts";
import { compile } from "./compile.ts";
import { type Check, Run, TooMuch } from "./run.ts";

const longestDocument = 512 * 1024;
const deepestDocument = 100;

/** The original documents, which a contract includes unchanged. */
const documents = new WeakMap<z.ZodType, JsonObject>();

/**
 * Creates a schema for a capability from a JSON Schema document (2020-12, or draft 7 if the document declares it). The
 * schema rejects values that do not fit, and returns all other values unchanged. It does not fill in defaults, and it
 * keeps unknown keys unless the document forbids them. [TRUST 24] The document has a limited size and depth, refers
 * only to itself, and its patterns run in linear time.
 */
export function jsonSchema(document: JsonObject): z.ZodType<Json, Json> {
  const given = ownCopy(document);
  const faults: string[] = [];
  const check = compile(given, faults);
  if (faults.length > 0) throw unusable(faults);
  const schema = z.custom<Json>().check((payload) => {
    for (const { path, message } of faultsIn(payload.value ?? null, check))
      payload.issues.push({ code: "custom", path: [...path], message, input: payload.value });
  });
  documents.set(schema, given);
  return schema;
}

/** Returns the document of a schema, or undefined if the schema was written in zod. */
export function givenDocument(schema: z.ZodType): JsonObject | undefined {
  return documents.get(schema);
}

function faultsIn(value: Json, check: Check): Run["faults"] {
  const run = new Run();
  try {
    if (check(value, undefined, run)) return [];
    return run.faults.length > 0 ? run.faults : [{ path: [], message: "does not fit its schema" }];
  } catch (error) {
    if (error instanceof TooMuch) return [{ path: [], message: error.message }];
    throw error;
  }
}

/** Copies the document, because its author may change the original later, and a contract must not change. */
function ownCopy(document: JsonObject): JsonObject {
  let text: string | undefined;
  try {
    text = JSON.stringify(document);
  } catch {
    throw unusable(["`/` cannot be written as JSON, for example because of a circular reference"]);
  }
  if (text === undefined || !text.startsWith("{")) throw unusable(["`/` has to be an object"]);
  if (text.length > longestDocument) throw unusable([`\`/\` is longer than ${longestDocument} characters`]);
  const copy: JsonObject = JSON.parse(text);
  if (isDeeper(copy, deepestDocument)) throw unusable([`\`/\` is nested deeper than ${deepestDocument}`]);
  return copy;
}

function isDeeper(value: Json, than: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (than === 0) return true;
  for (const each of Object.values(value)) if (isDeeper(each, than - 1)) return true;
  return false;
}

function unusable(faults: readonly string[]): ParaphError {
  const list = faults.slice(0, 20).map((fault) => `\n  - ${fault}`);
  return new ParaphError("capability-invalid", `The JSON Schema cannot be used:${list.join("")}`);
}
