import type { Json, JsonObject } from "../../json.ts";
import { canonical } from "../../receipts/digest.ts";
import { formatOf } from "./format.ts";
import { all, type Keywords, type Maker, numberIn } from "./maker.ts";
import { matcherOf } from "./pattern.ts";
import type { Check } from "./run.ts";

const types: Record<string, (value: Json) => boolean> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

export const typeKeyword: Keywords = ({ type }, where, maker) => {
  if (type === undefined) return undefined;
  const names = [type].flat() as Json[];
  const known = names.filter((name) => typeof name === "string" && Object.hasOwn(types, name)) as string[];
  if (known.length === 0 || known.length < names.length) {
    maker.fault(`${where}/type`, `has to be one or more of ${Object.keys(types).join(", ")}`);
    return undefined;
  }
  const tests = known.map((name) => types[name]!);
  const message = `has to be of type ${known.join(" or ")}`;
  return (value, place, run) => tests.some((test) => test(value)) || run.fault(place, message);
};

export const valueKeywords: Keywords = (schema, where, maker) => {
  if (schema.enum !== undefined && !Array.isArray(schema.enum))
    maker.fault(`${where}/enum`, "has to be a list");
  return all([
    Array.isArray(schema.enum) ? oneOfThese(schema.enum, "is not one of the allowed values") : undefined,
    "const" in schema ? oneOfThese([schema.const!], "does not equal the only allowed value") : undefined,
  ]);
};

function oneOfThese(values: readonly Json[], message: string): Check {
  const allowed = new Set(values.map(canonical));
  const longest = Math.max(0, ...Array.from(allowed, (text) => text.length));
  return (value, place, run) => {
    // Computing the canonical text of a large value is expensive. A string that is longer than all allowed values is
    // therefore rejected first.
    if (typeof value === "string" && value.length > longest) return run.fault(place, message);
    const text = canonical(value);
    run.charge(text.length);
    return allowed.has(text) || run.fault(place, message);
  };
}

export const numberKeywords: Keywords = (schema, where, maker) => {
  const bound = (keyword: string, holds: (value: number, limit: number) => boolean, message: string) => {
    const limit = numberIn(schema, keyword, where, maker, "number");
    return limit === undefined ? undefined : { limit, holds, message: `has to be ${message} ${limit}` };
  };
  const bounds = [
    bound("minimum", (value, limit) => value >= limit, "at least"),
    bound("maximum", (value, limit) => value <= limit, "at most"),
    bound("exclusiveMinimum", (value, limit) => value > limit, "more than"),
    bound("exclusiveMaximum", (value, limit) => value < limit, "less than"),
    bound("multipleOf", isMultiple, "a multiple of"),
  ].filter((each) => each !== undefined);
  if (bounds.length === 0) return undefined;
  return (value, place, run) =>
    typeof value !== "number" ||
    bounds.every(({ limit, holds, message }) => holds(value, limit) || run.fault(place, message));
};

/** Allows for rounding, so that 0.3 is a multiple of 0.1. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

export const stringKeywords: Keywords = (schema, where, maker) =>
  all([lengthOf(schema, where, maker), patternOf(schema, where, maker), formatIn(schema)]);

function lengthOf(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const min = numberIn(schema, "minLength", where, maker);
  const max = numberIn(schema, "maxLength", where, maker);
  if (min === undefined && max === undefined) return undefined;
  return (value, place, run) => {
    if (typeof value !== "string") return true;
    if (min !== undefined && characters(value, min) < min)
      return run.fault(place, `has to be at least ${min} characters long`);
    if (max !== undefined && value.length > max && characters(value, max) > max)
      return run.fault(place, `has to be at most ${max} characters long`);
    return true;
  };
}

/** Counts the characters of a text, and stops as soon as the count exceeds `asked`. */
function characters(text: string, asked: number): number {
  let count = 0;
  for (const _ of text) if (++count > asked) break;
  return count;
}

function patternOf(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  if (schema.pattern === undefined) return undefined;
  const matches = matcherOf(schema.pattern, `${where}/pattern`, maker);
  return (
    matches &&
    ((value, place, run) =>
      typeof value !== "string" || matches(value, run) || run.fault(place, "does not match its pattern"))
  );
}

function formatIn({ format }: JsonObject): Check | undefined {
  const has = typeof format === "string" ? formatOf(format) : undefined;
  return has && ((value, place, run) => has(value) || run.fault(place, `is not a ${String(format)}`));
}
