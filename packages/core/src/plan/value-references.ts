import type { Json, JsonObject } from "../json.ts";

/**
 * A reference to a value in an earlier step's output, such as `{ "$from": "step", "path": "/field/0" }`. The path is a
 * JSON Pointer. An object that really has a member `$from` is written `{ "$literal": … }`.
 */
export interface ValueReference {
  readonly from: string;
  readonly path: string;
}

/** Returns the steps from which an input takes values, each once, in order of appearance. */
export function listReferencedSteps(input: Json): string[] {
  const found = new Set<string>();
  mapValues(input, ({ from }) => {
    found.add(from);
    return null;
  });
  return [...found];
}

/**
 * Replaces every reference with its value. If a referenced value does not exist, returns the first such reference as
 * `missing`.
 */
export function fillValues(
  input: Json,
  outputOf: (step: string) => Json | undefined,
): { readonly input: Json } | { readonly missing: ValueReference } {
  let missing: ValueReference | undefined;
  const whole = mapValues(input, (taken) => {
    const value = readPointer(outputOf(taken.from), taken.path);
    if (value === undefined) missing ??= taken;
    return value ?? null;
  });
  return missing ? { missing } : { input: whole };
}

/** Returns a sentence about the first malformed reference, or undefined if all references are well formed. */
export function findReferenceFault(input: Json): string | undefined {
  try {
    mapValues(input, () => null);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function mapValues(value: Json, take: (taken: ValueReference) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => mapValues(item, take));
  if (typeof value !== "object" || value === null) return value;
  const object = value as JsonObject;
  if (Object.hasOwn(object, "$literal") && Object.keys(object).length === 1) return object.$literal as Json;
  if (Object.hasOwn(object, "$from")) return take(parseReference(object));
  return Object.fromEntries(
    Object.entries(object).map(([name, inner]) => [name, mapValues(inner as Json, take)]),
  );
}

function parseReference({ $from, path = "", ...rest }: JsonObject): ValueReference {
  if (typeof $from !== "string" || typeof path !== "string" || Object.keys(rest).length > 0)
    throw new Error('a reference to a value has to be written `{ "$from": "step", "path": "/field" }`');
  if (path !== "" && !path.startsWith("/"))
    throw new Error("`path` is a JSON Pointer that begins with `/`, or is empty for the whole output");
  return { from: $from, path };
}

function readPointer(output: Json | undefined, path: string): Json | undefined {
  if (path === "") return output;
  let here: Json | undefined = output;
  for (const part of path.slice(1).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
    here = (here as JsonObject)[name] as Json | undefined;
  }
  return here;
}
