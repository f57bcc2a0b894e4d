import { isObject } from "../lib/json.ts";

/** Returns whether a step of a plan states its input as a literal value. */
export function isLiteral(input: unknown): input is { readonly $literal: unknown } {
  return isObject(input) && "$literal" in input && Object.keys(input).length === 1;
}

/** Returns the input of a step without the wrapper of a literal value. */
export function readLiteral(input: unknown): unknown {
  return isLiteral(input) ? input.$literal : input;
}

/** Returns whether two JSON values are equal, whatever the order of their members. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isSame(one[key], other[key]));
}
