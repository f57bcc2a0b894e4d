import { isObject } from "../lib/json.ts";
import { isLiteral } from "../request/step-input.ts";

/**
 * Returns the values of a field in an input, by its path as `masked` names it: `card.number`, or `steps.pay.card` for a
 * step of a plan. Returns undefined if the input has no such field, because the path is of another part of the call.
 */
export function readPath(input: unknown, path: string): unknown {
  if (path === "input" && isObject(input) && !("input" in input)) return input;
  return walk(input, path.split("."));
}

function walk(value: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names;
  if (isLiteral(value)) return walk(value.$literal, names);
  if (name === undefined) return value;
  if (Array.isArray(value)) {
    const step: unknown = value.find((one) => isObject(one) && one.id === name && "input" in one);
    if (isObject(step)) return walk(step.input, rest);
    const found = value.map((item) => walk(item, names)).filter((one) => one !== undefined);
    return found.length > 0 ? found : undefined;
  }
  return isObject(value) && Object.hasOwn(value, name) ? walk(value[name], rest) : undefined;
}
