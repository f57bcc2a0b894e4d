import type { Json } from "../../json.ts";

/** A place in a value, linked to the place that contains it. The path is computed only for a fault. */
export type Place = { readonly name: string | number; readonly within: Place } | undefined;

/** The keys and items that a schema has evaluated so far, which the `unevaluated…` keywords need. */
export interface EvaluatedParts {
  readonly keys: Set<string>;
  readonly items: Set<number>;
}

/** Returns whether the value fits the schema. If the value does not fit, the check records the faults in the run. */
export type Check = (value: Json, place: Place, run: Run, evaluated?: EvaluatedParts) => boolean;

export interface SchemaFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * The maximum work of one validation. One unit of work is one schema applied to one value, and takes about 100 ns. A
 * hostile input is stopped after about 30 ms.
 */
const maxWork = 300_000;
/**
 * The maximum depth of a validation. No legitimate value is nested this deep. The limit stops a schema that refers to
 * itself without descending into the value.
 */
const deepest = 250;
const maxFaults = 20;

/** [TRUST 24] One validation of one value. It counts its work and stops when the work exceeds the limit. */
export class Run {
  readonly faults: SchemaFault[] = [];
  #work = 0;
  #depth = 0;
  #silent = 0;

  /** Applies one schema to one value. Throws `TooMuch` if the validation exceeds the limit on work or depth. */
  step(body: () => boolean): boolean {
    this.charge(1);
    if (this.#depth >= deepest) throw new TooMuch("is nested too deeply to validate");
    this.#depth++;
    try {
      return body();
    } finally {
      this.#depth--;
    }
  }

  charge(work: number): void {
    this.#work += work;
    if (this.#work > maxWork) throw new TooMuch("is too complex to validate against its schema");
  }

  /** Tries one of several forms without recording faults, because a form that does not fit is not yet a fault. */
  trying(body: () => boolean): boolean {
    this.#silent++;
    try {
      return body();
    } finally {
      this.#silent--;
    }
  }

  fault(place: Place, message: string): false {
    if (this.#silent === 0 && this.faults.length < maxFaults)
      this.faults.push({ path: pathOf(place), message });
    return false;
  }
}

/** [P11] The error for a value whose validation exceeds the limit on work or depth. The value is rejected. */
export class TooMuch extends Error {}

export function createEvaluatedParts(): EvaluatedParts {
  return { keys: new Set(), items: new Set() };
}

export function mergeEvaluatedParts(to: EvaluatedParts | undefined, more: EvaluatedParts | undefined): void {
  for (const key of more?.keys ?? []) to?.keys.add(key);
  for (const item of more?.items ?? []) to?.items.add(item);
}

function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = [];
  for (let here = place; here; here = here.within) path.unshift(here.name);
  return path;
}
