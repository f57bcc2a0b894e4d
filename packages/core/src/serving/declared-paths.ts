import { CapabilityError } from "../capability/fault.ts";
import { isJsonObject, type Json } from "../json.ts";

/**
 * The locks and the maximum cost of a served capability, as data. A service's code cannot compute them, because Paraph
 * admits a call without waiting for the service.
 */
export interface DeclaredPaths {
  /**
   * Templates such as `payment:{payment}` or `file:{paths.*}`. Each value in the input at the path in braces gives one
   * key.
   */
  readonly locks?: readonly string[] | undefined;
  /**
   * The maximum cost as a whole number of minor units, or the path of this number in the input, such as `amount.cents`.
   */
  readonly cost?: number | string | undefined;
}

const pathPattern = String.raw`(?:[A-Za-z_][\w-]*|\*)(?:\.(?:[A-Za-z_][\w-]*|\*))*`;
/** Matches a lock template. */
export const lockTemplate = new RegExp(String.raw`^(?=.{1,200}$)[^{}]*(?:\{${pathPattern}\}[^{}]*)*$`);
/** The pattern for the path at which the input holds the cost, such as `amount.cents`. */
export const costPath = /^(?=.{1,200}$)[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;

const maxLocks = 1_000;

/**
 * [P11] Returns the lock keys, sorted and without duplicates, like a capability's own `locks`. Throws if the input
 * lacks a value that a template names.
 */
export function readDeclaredLocks({ locks = [] }: DeclaredPaths, input: Json): readonly string[] {
  return [...new Set(locks.flatMap((template) => fillTemplate(template, input)))].sort();
}

/** Returns the maximum cost in minor units. Throws if the declared path does not lead to a number in this input. */
export function readDeclaredCost({ cost = 0 }: DeclaredPaths, input: Json): number {
  if (typeof cost === "number") return cost;
  const [value] = listValues(input, cost);
  if (typeof value === "number") return value;
  throw rejectUnreadable(cost);
}

function fillTemplate(template: string, input: Json): string[] {
  // The parts alternate between text and paths, beginning with text.
  const parts = template.split(/\{([^{}]*)\}/);
  return parts.reduce<string[]>(
    (keys, part, at) => {
      const values = at % 2 === 0 ? [part] : listValues(input, part);
      if (keys.length * values.length > maxLocks) throw rejectUnreadable(template);
      return keys.flatMap((key) => values.map((value) => `${key}${value}`));
    },
    [""],
  );
}

/** Returns every plain value at a path in the input. */
function listValues(input: Json, place: string): (string | number | boolean)[] {
  let here: readonly Json[] = [input];
  for (const name of place.split(".")) here = here.flatMap((value) => readStep(value, name, place));
  return here.map((value) => {
    if (typeof value === "object") throw rejectUnreadable(place);
    return value;
  });
}

function readStep(value: Json, name: string, place: string): readonly Json[] {
  if (Array.isArray(value) && name === "*") return value;
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) throw rejectUnreadable(place);
  return [value[name]!];
}

function rejectUnreadable(place: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "locks-or-cost-untold",
    `Paraph cannot read \`${place}\` from this input. Send a string, a number or a boolean there.`,
  );
}
