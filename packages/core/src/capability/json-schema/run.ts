import type { Json } from "../../json.ts";

/** Where in a value something is: a chain, so that a place costs nothing until it is told. */
export type Place = { readonly name: string | number; readonly within: Place } | undefined;

/** What a schema has judged of an object or a list so far: what `unevaluated…` asks about. */
export interface Judged {
  readonly keys: Set<string>;
  readonly items: Set<number>;
}

/** True where the value fits; where it does not, the faults are noted in the run. */
export type Check = (value: Json, place: Place, run: Run, judged?: Judged) => boolean;

export interface SchemaFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** One schema applied to one value is about 100 ns, and the unit of work: a hostile input ends after some 30 ms. */
const mostWork = 300_000;
/** Honest values are not nested like this; what refers to itself without going on in the value is. */
const deepest = 250;
const mostFaults = 20;

/** [TRUST 24] One value being checked: what it costs is counted, and the check ends when it is too much. */
export class Run {
  readonly faults: SchemaFault[] = [];
  #work = 0;
  #depth = 0;
  #silent = 0;

  /** One schema applied to one value. */
  step(body: () => boolean): boolean {
    this.charge(1);
    if (this.#depth >= deepest) throw new TooMuch("it is nested too deeply to be checked");
    this.#depth++;
    try {
      return body();
    } finally {
      this.#depth--;
    }
  }

  charge(work: number): void {
    this.#work += work;
    if (this.#work > mostWork) throw new TooMuch("it takes too much work to be checked against its schema");
  }

  /** One of several forms: that it does not fit is no fault yet. */
  trying(body: () => boolean): boolean {
    this.#silent++;
    try {
      return body();
    } finally {
      this.#silent--;
    }
  }

  fault(place: Place, message: string): false {
    if (this.#silent === 0 && this.faults.length < mostFaults)
      this.faults.push({ path: pathOf(place), message });
    return false;
  }
}

/** [P11] What cannot be checked to the end does not fit. */
export class TooMuch extends Error {}

export function nothingJudged(): Judged {
  return { keys: new Set(), items: new Set() };
}

export function addJudged(to: Judged | undefined, more: Judged | undefined): void {
  for (const key of more?.keys ?? []) to?.keys.add(key);
  for (const item of more?.items ?? []) to?.items.add(item);
}

function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = [];
  for (let here = place; here; here = here.within) path.unshift(here.name);
  return path;
}
