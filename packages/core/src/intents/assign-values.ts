import { couldBelong } from "./field-values.ts";
import type { Field } from "./fields.ts";
import type { ValueToken } from "./tokens.ts";

/** The fields that unnamed values belong to, if there is exactly one way to place all of them. */
export type Assignment =
  | { readonly kind: "one"; readonly pairs: readonly (readonly [Field, ValueToken])[] }
  | { readonly kind: "several"; readonly fields: readonly string[] }
  | { readonly kind: "none" };

/** The maximum number of unnamed values that are placed. More values are a question, because the search grows fast. */
const maxValues = 6;

/**
 * Places values that the words do not name. Required fields come first. Other fields only count if the required ones
 * cannot take all values.
 */
export function assignValues(values: readonly ValueToken[], fields: readonly Field[]): Assignment {
  if (values.length === 0) return { kind: "one", pairs: [] };
  if (values.length > maxValues) return { kind: "none" };
  for (const candidates of [fields.filter(({ isRequired }) => isRequired), fields]) {
    // The values with the fewest fields come first, so that a search without a result ends early.
    const count = (value: ValueToken) => candidates.filter((one) => couldBelong(one, value, fields)).length;
    const ordered = [...values].sort((a, b) => count(a) - count(b));
    const ways = listWays(ordered, candidates, fields);
    if (ways.length === 1) return { kind: "one", pairs: ways[0]! };
    if (ways.length > 1)
      return { kind: "several", fields: [...new Set(ways.flatMap((way) => way.map(([{ name }]) => name)))] };
  }
  return { kind: "none" };
}

type Way = readonly (readonly [Field, ValueToken])[];

/** Returns up to two ways to place all values, because a second way is enough to make them ambiguous. */
function listWays(
  values: readonly ValueToken[],
  free: readonly Field[],
  all: readonly Field[],
): readonly Way[] {
  const [value, ...rest] = values;
  if (!value) return [[]];
  const ways: Way[] = [];
  for (const field of free) {
    if (!couldBelong(field, value, all)) continue;
    const others = free.filter((one) => one !== field);
    for (const way of listWays(rest, others, all)) {
      ways.push([[field, value], ...way]);
      if (ways.length > 1) return ways;
    }
  }
  return ways;
}
