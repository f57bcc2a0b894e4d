import { isJsonObject, type Json, type JsonObject } from "@paraph/core";

/**
 * A reason why the adapter cannot use an operation. The adapter skips the operation and states the reason in its health
 * report.
 */
export class UnusableOperation extends Error {}

export function toObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function toList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns the value, or the target of its `$ref`. The function rejects a reference to another document and never
 * fetches that document.
 */
export function resolveReference(root: JsonObject, value: Json | undefined, hops = 0): Json | undefined {
  if (!isJsonObject(value) || typeof value.$ref !== "string") return value;
  if (hops > 20) throw new UnusableOperation("a `$ref` in it is circular");
  return resolveReference(root, followReference(root, value.$ref), hops + 1);
}

export function followReference(root: JsonObject, reference: string): Json {
  if (!reference.startsWith("#/"))
    throw new UnusableOperation(
      "a `$ref` in it points to another document: bundle the documents into one first",
    );
  let here: Json | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const name = decodePart(part).replaceAll("~1", "/").replaceAll("~0", "~");
    here =
      typeof here === "object" && here !== null && Object.hasOwn(here, name)
        ? (here as JsonObject)[name]
        : undefined;
  }
  if (here === undefined)
    throw new UnusableOperation("a `$ref` in it points to a missing part of the document");
  return here;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
