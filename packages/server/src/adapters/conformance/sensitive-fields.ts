import type { Json, JsonObject } from "@paraph/core";

/** The paths of a contract's sensitive fields: `a.b` is property b of property a, and lists are looked through. */

/** Every text in the fields. */
export function textsAt(value: Json, paths: readonly string[]): string[] {
  const found: string[] = [];
  changed(value, paths, (text) => {
    found.push(text);
    return text;
  });
  return found;
}

/** The value with every text in the fields replaced. */
export function replaced(value: Json, paths: readonly string[], by: string): Json {
  return changed(value, paths, () => by);
}

/** The value without the fields. */
export function without(value: Json, paths: readonly string[]): Json {
  return at(value, paths.map(split), () => undefined) ?? null;
}

function changed(value: Json, paths: readonly string[], text: (text: string) => string): Json {
  return at(value, paths.map(split), (field) => texts(field, text)) ?? null;
}

type Change = (field: Json) => Json | undefined;

function at(value: Json, paths: readonly (readonly string[])[], change: Change): Json | undefined {
  if (Array.isArray(value)) return value.map((item: Json) => at(item, paths, change) ?? null);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]): [string, Json | undefined] => {
    const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
    if (below.some(({ length }) => length === 0)) return [name, change(field)];
    return [name, below.length === 0 ? field : at(field, below, change)];
  });
  return Object.fromEntries(fields.filter((field): field is [string, Json] => field[1] !== undefined));
}

function texts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: Json) => texts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, texts(field, change)]));
}

function split(path: string): string[] {
  return path.split(".");
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
