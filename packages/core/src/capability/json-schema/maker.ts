import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import type { Check } from "./run.ts";

/** The compiler that makes the check of one schema out of its keywords. */
export interface Maker {
  /** Returns the check of a schema inside the document. `where` is the JSON Pointer of the schema. */
  make(schema: Json, where: string): Check;
  /** Returns the check of the schema that a `$ref` names. */
  refer(reference: string, where: string): Check;
  /** Records a part of the document that cannot be used. All faults are reported together. */
  fault(where: string, sentence: string): void;
  /**
   * The total number of states of the document's patterns so far. It is limited, because compiling states takes time.
   */
  states: number;
  /**
   * Whether the document uses a draft before 2019-09. In those drafts, a `$ref` ignores its siblings and `items` can be
   * a list.
   */
  readonly old: boolean;
}

/** Compiles one group of keywords. Returns undefined if the schema has none of them. */
export type Keywords = (schema: JsonObject, where: string, maker: Maker) => Check | undefined;

/** Combines checks. The combined check always runs all of them, so that the sender gets every fault in one answer. */
export function all(checks: readonly (Check | undefined)[]): Check | undefined {
  const made = checks.filter((check) => check !== undefined);
  if (made.length < 2) return made[0];
  return (value, place, run, evaluated) => {
    let fits = true;
    for (const check of made) fits = check(value, place, run, evaluated) && fits;
    return fits;
  };
}

/** Returns the value of a numeric keyword. By default, the value must be a whole number of at least 0. */
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

/** Returns the checks of a keyword's schemas, by name. */
export function madeByName(
  schema: JsonObject,
  keyword: string,
  where: string,
  maker: Maker,
): readonly (readonly [string, Check])[] {
  const named = schema[keyword];
  if (named === undefined) return [];
  if (!isJsonObject(named)) {
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

/** Escapes a name for a JSON Pointer. */
export function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
