import { isJsonObject, type Json } from "@paraph/core";

/**
 * The functions in this module take the paths of a contract's sensitive fields. The path `a.b` means property `b` of
 * property `a`. A path also applies inside lists.
 */

/** Lists every text in the fields at these paths. */
export function listTexts(value: Json, paths: readonly string[]): string[] {
  const found: string[] = [];
  mapTexts(value, paths, (text) => {
    found.push(text);
    return text;
  });
  return found;
}

/** Returns the value with every text in the fields at these paths replaced by the text `by`. */
export function replaceTexts(value: Json, paths: readonly string[], by: string): Json {
  return mapTexts(value, paths, () => by);
}

/** Returns the value without the fields at these paths. */
export function removeFields(value: Json, paths: readonly string[]): Json {
  return mapFields(value, paths.map(splitPath), () => undefined) ?? null;
}

function mapTexts(value: Json, paths: readonly string[], text: (text: string) => string): Json {
  return mapFields(value, paths.map(splitPath), (field) => mapTextsDeep(field, text)) ?? null;
}

type FieldChange = (field: Json) => Json | undefined;

function mapFields(
  value: Json,
  paths: readonly (readonly string[])[],
  change: FieldChange,
): Json | undefined {
  if (Array.isArray(value)) return value.map((item: Json) => mapFields(item, paths, change) ?? null);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]): [string, Json | undefined] => {
    const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
    if (below.some(({ length }) => length === 0)) return [name, change(field)];
    return [name, below.length === 0 ? field : mapFields(field, below, change)];
  });
  return Object.fromEntries(fields.filter((field): field is [string, Json] => field[1] !== undefined));
}

function mapTextsDeep(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapTextsDeep(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, mapTextsDeep(field, change)]),
  );
}

function splitPath(path: string): string[] {
  return path.split(".");
}
