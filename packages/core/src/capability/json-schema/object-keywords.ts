import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { all, type Keywords, type Maker, madeByName, madeOne, numberIn } from "./maker.ts";
import { matcherOf } from "./pattern.ts";
import type { Check, EvaluatedParts, Place, Run } from "./run.ts";

export const objectKeywords: Keywords = (schema, where, maker) => {
  const check = all([
    required(schema, where, maker),
    count(schema, where, maker),
    propertyNames(schema, where, maker),
    properties(schema, where, maker),
    dependencies(schema, where, maker),
  ]);
  return check && onlyObjects(check);
};

/** Compiles the check of the keys that no other keyword has evaluated. This check must run last. */
export const unevaluatedProperties: Keywords = (schema, where, maker) => {
  const rest = madeOne(schema, "unevaluatedProperties", where, maker);
  return (
    rest &&
    onlyObjects((value, place, run, evaluated) =>
      each(value as JsonObject, place, run, evaluated, (key) => (evaluated?.keys.has(key) ? [] : [rest])),
    )
  );
};

function required(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const names = namesIn(schema.required, `${where}/required`, maker);
  return (
    names &&
    ((value, place, run) => {
      const missing = names.filter((name) => !Object.hasOwn(value as JsonObject, name));
      for (const name of missing) run.fault({ name, within: place }, "is missing");
      return missing.length === 0;
    })
  );
}

function count(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const min = numberIn(schema, "minProperties", where, maker);
  const max = numberIn(schema, "maxProperties", where, maker);
  if (min === undefined && max === undefined) return undefined;
  return (value, place, run) => {
    const found = Object.keys(value as JsonObject).length;
    if (found < (min ?? 0)) return run.fault(place, `has to have at least ${min} keys`);
    if (found > (max ?? found)) return run.fault(place, `has to have at most ${max} keys`);
    return true;
  };
}

function propertyNames(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const check = madeOne(schema, "propertyNames", where, maker);
  return (
    check &&
    ((value, place, run) =>
      Object.keys(value as JsonObject).every(
        (name) =>
          run.trying(() => check(name, place, run)) || run.fault(place, "has a key that is not allowed"),
      ))
  );
}

/**
 * Compiles `properties`, `patternProperties` and `additionalProperties`. A key is additional if neither `properties`
 * nor `patternProperties` names it.
 */
function properties(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const named = new Map(madeByName(schema, "properties", where, maker));
  const matched = madeByName(schema, "patternProperties", where, maker).map(
    ([pattern, check]) => [matcherOf(pattern, `${where}/patternProperties`, maker), check] as const,
  );
  const additional = madeOne(schema, "additionalProperties", where, maker);
  if (named.size === 0 && matched.length === 0 && !additional) return undefined;
  return (value, place, run, evaluated) =>
    each(value as JsonObject, place, run, evaluated, (key) => {
      const own = named.get(key);
      const checks = [
        ...(own ? [own] : []),
        ...matched.flatMap(([matches, check]) => (matches?.(key, run) ? [check] : [])),
      ];
      return checks.length === 0 && additional ? [additional] : checks;
    });
}

/** Applies the checks of every key. A key with at least one check counts as evaluated. */
function each(
  value: JsonObject,
  place: Place,
  run: Run,
  evaluated: EvaluatedParts | undefined,
  checksOf: (key: string) => readonly Check[],
): boolean {
  let fits = true;
  for (const key of Object.keys(value)) {
    const checks = checksOf(key);
    if (checks.length > 0) evaluated?.keys.add(key);
    for (const check of checks) fits = check(value[key]!, { name: key, within: place }, run) && fits;
  }
  return fits;
}

/**
 * Compiles the dependency keywords. Before 2019-09, `dependencies` stood for both `dependentRequired` and
 * `dependentSchemas`.
 */
function dependencies(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const [lists, schemas] = [
    { ...asObject(schema.dependentRequired) },
    { ...asObject(schema.dependentSchemas) },
  ];
  for (const [name, wanted] of Object.entries(asObject(schema.dependencies)))
    (Array.isArray(wanted) ? lists : schemas)[name] = wanted;
  const needs = Object.entries(lists).map(([name, wanted]) => {
    const check = required({ required: wanted }, `${where}/dependentRequired`, maker);
    return whereIs(name, check);
  });
  const fits = madeByName({ dependentSchemas: schemas }, "dependentSchemas", where, maker);
  return all([...needs, ...fits.map(([name, check]) => whereIs(name, check))]);
}

function whereIs(name: string, check: Check | undefined): Check | undefined {
  return (
    check &&
    ((value, place, run, evaluated) =>
      !Object.hasOwn(value as JsonObject, name) || check(value, place, run, evaluated))
  );
}

function namesIn(names: Json | undefined, where: string, maker: Maker): readonly string[] | undefined {
  if (names === undefined) return undefined;
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  maker.fault(where, "has to be a list of names");
  return undefined;
}

function asObject(value: Json | undefined): Record<string, Json> {
  return isJsonObject(value) ? value : {};
}

function onlyObjects(check: Check): Check {
  return (value, place, run, evaluated) => !isJsonObject(value) || check(value, place, run, evaluated);
}
