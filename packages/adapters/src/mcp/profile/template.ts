import type { Json, JsonObject } from "@paraph/core";

/** A placeholder such as `{input.path}` or `{before.text}`: a root of the scope and a path below it. */
const placeholderPattern = /\{\{|\}\}|\{([a-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_$-]+)*)\}/g;

/** The values that placeholders can refer to, by root. */
export type TemplateScope = Readonly<Record<string, Json | undefined>>;

/**
 * Fills every placeholder in the texts of a template. A text that consists of one placeholder becomes the placeholder's
 * value itself. If that value is missing, its key or list item is left out. Inserted text is never parsed as a
 * template.
 */
export function fillValue(template: Json, scope: TemplateScope): Json | undefined {
  if (typeof template === "string") return fillTextValue(template, scope);
  if (Array.isArray(template)) return template.map((each) => fillValue(each, scope)).filter(isDefined);
  if (typeof template !== "object" || template === null) return template;
  const entries = Object.entries(template).map(([name, each]) => [name, fillValue(each, scope)] as const);
  return Object.fromEntries(entries.filter(([, value]) => isDefined(value))) as JsonObject;
}

/** Fills a template and returns the result as text. */
export function fillText(template: string, scope: TemplateScope): string {
  const value = fillTextValue(template, scope);
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

/** Lists the roots of the placeholders. */
export function listRoots(template: Json): readonly string[] {
  return listPlaceholders(template).map((way) => way.split(".")[0]!);
}

/** Lists the placeholders as paths, such as `input.path` and `before.text`. */
export function listPlaceholders(template: Json): readonly string[] {
  if (typeof template === "string")
    return [...template.matchAll(placeholderPattern)].flatMap(([, way]) => (way ? [way] : []));
  if (typeof template !== "object" || template === null) return [];
  return Object.values(template).flatMap(listPlaceholders);
}

function fillTextValue(template: string, scope: TemplateScope): Json | undefined {
  const whole = /^\{([a-z][A-Za-z0-9_.$-]*)\}$/.exec(template);
  if (whole) return readPath(whole[1]!, scope);
  return template.replaceAll(placeholderPattern, (piece, way: string | undefined) => {
    if (way === undefined) return piece[0]!;
    const value = readPath(way, scope);
    return value === undefined || value === null
      ? ""
      : typeof value === "string"
        ? value
        : JSON.stringify(value);
  });
}

function readPath(way: string, scope: TemplateScope): Json | undefined {
  let value: Json | undefined = scope as JsonObject;
  for (const name of way.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}
