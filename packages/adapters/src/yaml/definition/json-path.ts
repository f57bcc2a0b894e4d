import { isJsonObject, type Json } from "@paraph/core";

/**
 * A function that finds values in JSON by a path of RFC 9535. The path has no filters, slices or descendants, so that
 * the length of the path bounds the time to evaluate it.
 */
export type JsonPath = (value: Json) => readonly Json[];

const stepPattern =
  /\.([A-Za-z_][A-Za-z0-9_-]*)|\.(\*)|\[(\*)\]|\[(\d{1,9})\]|\["([^"\\]*)"\]|\['([^'\\]*)'\]/y;

/** Parses a path. Returns undefined if the text is not a path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (!text.startsWith("$")) return undefined;
  const steps: JsonPath[] = [];
  stepPattern.lastIndex = 1;
  while (stepPattern.lastIndex < text.length) {
    const found = stepPattern.exec(text);
    if (!found) return undefined;
    const [, dotted, everyField, everyItem, index, double, single] = found;
    if (everyField ?? everyItem) steps.push(listChildren);
    else if (index !== undefined) steps.push((value) => readItem(value, Number(index)));
    else steps.push((value) => readField(value, dotted ?? double ?? single ?? ""));
  }
  return (value) => steps.reduce<readonly Json[]>((values, next) => values.flatMap(next), [value]);
}

function readField(value: Json, name: string): readonly Json[] {
  return isJsonObject(value) && Object.hasOwn(value, name) ? [value[name]!] : [];
}

function readItem(value: Json, index: number): readonly Json[] {
  return Array.isArray(value) && index < value.length ? [value[index]!] : [];
}

function listChildren(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}
