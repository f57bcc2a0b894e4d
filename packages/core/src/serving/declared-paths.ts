import { CapabilityError } from "../capability/fault.ts";
import type { Json, JsonObject } from "../json.ts";

/**
 * What must be known of a call before it is sent anywhere, as data: which locks it wants and what it will cost at most. A
 * service's code cannot be asked for these, because a call is admitted without waiting for anybody.
 */
export interface DeclaredPaths {
  /** `payment:{payment}`, `file:{paths.*}`: a key for each value found there in the input. */
  readonly locks?: readonly string[] | undefined;
  /** A whole number of minor units, or where in the input it stands: `amount.cents`. */
  readonly cost?: number | string | undefined;
}

const pathPattern = String.raw`(?:[A-Za-z_][\w-]*|\*)(?:\.(?:[A-Za-z_][\w-]*|\*))*`;
export const lockTemplate = new RegExp(String.raw`^(?=.{1,200}$)[^{}]*(?:\{${pathPattern}\}[^{}]*)*$`);
export const costPath = /^(?=.{1,200}$)[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;

const maxLocks = 1_000;

/** Sorted, each once, as a capability's own `locks` are. Throws where they cannot be told from this input [P11]. */
export function readDeclaredLocks({ locks = [] }: DeclaredPaths, input: Json): readonly string[] {
  return [...new Set(locks.flatMap((template) => fillTemplate(template, input)))].sort();
}

export function readDeclaredCost({ cost = 0 }: DeclaredPaths, input: Json): number {
  if (typeof cost === "number") return cost;
  const [value] = listValues(input, cost);
  if (typeof value === "number") return value;
  throw rejectUnreadable(cost);
}

function fillTemplate(template: string, input: Json): string[] {
  // Text and paths by turns, beginning with text.
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

/** Every plain value at a place in the input. */
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
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject || !Object.hasOwn(value, name)) throw rejectUnreadable(place);
  return [(value as JsonObject)[name]!];
}

function rejectUnreadable(place: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "locks-or-cost-untold",
    `\`${place}\` cannot be told from this input: send a plain value there.`,
  );
}
