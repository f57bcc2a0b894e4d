import type { Json, JsonObject } from "../../json.ts";
import type { Check } from "./run.ts";

/** What makes the check of one schema out of its keywords. */
export interface Maker {
  /** The check of a schema inside the document; `where` is its JSON Pointer. */
  make(schema: Json, where: string): Check;
  /** The check of what a `$ref` names. */
  refer(reference: string, where: string): Check;
  /** Something in the document that cannot be used: it is told with all others. */
  fault(where: string, sentence: string): void;
  /** How many states all patterns of the document have so far: making them takes time too. */
  states: number;
  /** Before 2019-09 a `$ref` stood alone, and `items` could be a list. */
  readonly old: boolean;
}

/** One family of keywords: the check they ask for, or nothing where none of them is there. */
export type Keywords = (schema: JsonObject, where: string, maker: Maker) => Check | undefined;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** All of them, to the end: whoever sends something hears of every fault at once. */
export function all(checks: readonly (Check | undefined)[]): Check | undefined {
  const made = checks.filter((check) => check !== undefined);
  if (made.length < 2) return made[0];
  return (value, place, run, judged) => {
    let fits = true;
    for (const check of made) fits = check(value, place, run, judged) && fits;
    return fits;
  };
}

/** A keyword's number, from 0 and whole unless said otherwise. */
export function numberIn(
  schema: JsonObject,
  keyword: string,
  where: string,
  maker: Maker,
  kind: "count" | "number" = "count",
): number | undefined {
  const value = schema[keyword];
  if (value === undefined) return undefined;
  if (typeof value === "number" && (kind === "number" || (Number.isInteger(value) && value >= 0)))
    return value;
  maker.fault(
    `${where}/${keyword}`,
    kind === "count" ? "has to be a whole number from 0" : "has to be a number",
  );
  return undefined;
}

/** A keyword's schemas by name, each made. */
export function madeByName(
  schema: JsonObject,
  keyword: string,
  where: string,
  maker: Maker,
): readonly (readonly [string, Check])[] {
  const named = schema[keyword];
  if (named === undefined) return [];
  if (!isObject(named)) {
    maker.fault(`${where}/${keyword}`, "has to be an object of schemas");
    return [];
  }
  return Object.entries(named).map(([name, each]) => [
    name,
    maker.make(each, `${where}/${keyword}/${escaped(name)}`),
  ]);
}

export function madeList(
  schema: JsonObject,
  keyword: string,
  where: string,
  maker: Maker,
): readonly Check[] | undefined {
  const list = schema[keyword];
  if (list === undefined) return undefined;
  if (Array.isArray(list)) return list.map((each, index) => maker.make(each, `${where}/${keyword}/${index}`));
  maker.fault(`${where}/${keyword}`, "has to be a list of schemas");
  return undefined;
}

export function madeOne(schema: JsonObject, keyword: string, where: string, maker: Maker): Check | undefined {
  const one = schema[keyword];
  return one === undefined ? undefined : maker.make(one, `${where}/${keyword}`);
}

/** A name as a part of a JSON Pointer. */
export function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
