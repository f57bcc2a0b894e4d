import type { Json } from "@paraph/core";

/** Finds values in JSON: RFC 9535 without filters, slices and descendants, so it ends when the path does. */
export type JsonPath = (value: Json) => readonly Json[];

const step = /\.([A-Za-z_][A-Za-z0-9_-]*)|\.(\*)|\[(\*)\]|\[(\d{1,9})\]|\["([^"\\]*)"\]|\['([^'\\]*)'\]/y;

/** Undefined where the text is not a path. */
export function jsonPath(text: string): JsonPath | undefined {
  if (!text.startsWith("$")) return undefined;
  const steps: JsonPath[] = [];
  step.lastIndex = 1;
  while (step.lastIndex < text.length) {
    const found = step.exec(text);
    if (!found) return undefined;
    const [, dotted, everyField, everyItem, index, double, single] = found;
    if (everyField ?? everyItem) steps.push(children);
    else if (index !== undefined) steps.push((value) => item(value, Number(index)));
    else steps.push((value) => field(value, dotted ?? double ?? single ?? ""));
  }
  return (value) => steps.reduce<readonly Json[]>((values, next) => values.flatMap(next), [value]);
}

function field(value: Json, name: string): readonly Json[] {
  return isObject(value) && Object.hasOwn(value, name) ? [value[name]!] : [];
}

function item(value: Json, index: number): readonly Json[] {
  return Array.isArray(value) && index < value.length ? [value[index]!] : [];
}

function children(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
