import type { Json, JsonObject } from "../../json.ts";
import { canonical } from "../../receipts/digest.ts";
import { all, type Keywords, type Maker, madeList, madeOne, numberIn } from "./maker.ts";
import type { Check } from "./run.ts";

export const arrayKeywords: Keywords = (schema, where, maker) => {
  const check = all([
    count(schema, where, maker),
    unique(schema),
    items(schema, where, maker),
    contains(schema, where, maker),
  ]);
  return check && onlyLists(check);
};

/** Compiles the check of the items that no other keyword has evaluated. This check must run last. */
export const unevaluatedItems: Keywords = (schema, where, maker) => {
  const rest = madeOne(schema, "unevaluatedItems", where, maker);
  return (
    rest &&
    onlyLists((value, place, run, evaluated) => {
      let fits = true;
      for (const [index, item] of (value as readonly Json[]).entries()) {
        if (evaluated?.items.has(index)) continue;
        evaluated?.items.add(index);
        fits = rest(item, { name: index, within: place }, run) && fits;
      }
      return fits;
    })
  );
};

function count(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const min = numberIn(schema, "minItems", where, maker);
  const max = numberIn(schema, "maxItems", where, maker);
  if (min === undefined && max === undefined) return undefined;
  return (value, place, run) => {
    const { length } = value as readonly Json[];
    if (length < (min ?? 0)) return run.fault(place, `has to have at least ${min} items`);
    if (length > (max ?? length)) return run.fault(place, `has to have at most ${max} items`);
    return true;
  };
}

function unique({ uniqueItems }: JsonObject): Check | undefined {
  if (uniqueItems !== true) return undefined;
  return (value, place, run) => {
    const seen = new Set<string>();
    for (const item of value as readonly Json[]) {
      const text = canonical(item);
      run.charge(text.length);
      if (seen.has(text)) return run.fault(place, "has the same item twice");
      seen.add(text);
    }
    return true;
  };
}

/**
 * Compiles the check of the items. The first items each have their own schema, and the rest share one. Draft 2020-12
 * uses different keywords for these schemas than earlier drafts.
 */
function items(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const listed = Array.isArray(schema.items);
  const first = madeList(schema, listed ? "items" : "prefixItems", where, maker) ?? [];
  const rest = madeOne(schema, listed ? "additionalItems" : "items", where, maker);
  if (first.length === 0 && !rest) return undefined;
  return (value, place, run, evaluated) => {
    let fits = true;
    for (const [index, item] of (value as readonly Json[]).entries()) {
      const check = first[index] ?? rest;
      if (!check) break;
      evaluated?.items.add(index);
      fits = check(item, { name: index, within: place }, run) && fits;
    }
    return fits;
  };
}

function contains(schema: JsonObject, where: string, maker: Maker): Check | undefined {
  const check = madeOne(schema, "contains", where, maker);
  const min = numberIn(schema, "minContains", where, maker) ?? 1;
  const max = numberIn(schema, "maxContains", where, maker);
  if (!check) return undefined;
  return (value, place, run, evaluated) => {
    let found = 0;
    for (const [index, item] of (value as readonly Json[]).entries()) {
      if (!run.trying(() => check(item, place, run))) continue;
      evaluated?.items.add(index);
      found++;
    }
    if (found < min) return run.fault(place, `has to have at least ${min} items that match \`contains\``);
    if (found > (max ?? found))
      return run.fault(place, `has to have at most ${max} items that match \`contains\``);
    return true;
  };
}

function onlyLists(check: Check): Check {
  return (value, place, run, evaluated) => !Array.isArray(value) || check(value, place, run, evaluated);
}
