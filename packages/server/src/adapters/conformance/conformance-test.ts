import { type Adapter, type Json, ParaphError } from "@paraph/core";

/**
 * How an adapter is tried: where it plays, and one case for each capability. It stands in a module of its own as the
 * default export, because the adapter is tried in processes of its own, which are killed: each of them imports it.
 * What happens between `prepare` and `cleanup` (reset, picture, move) runs in the process of the suite.
 */
export interface ConformanceTestDefinition<G extends object> {
  /** Under which the adapter is opened: what its capabilities' names begin with. */
  readonly name: string;
  /** Sets up the outside, once. What it returns says how to reach it, and is JSON: other processes are told. */
  readonly prepare?: (ground: FixtureFolder) => Promise<G>;
  readonly cleanup?: (ground: Fixture<G>) => Promise<void>;
  /** As a configuration would name it; a function where it depends on the ground. */
  readonly adapter: Adapter | ((ground: Fixture<G>) => Adapter);
  /** What `world.credential` answers, by name. No value of these may turn up anywhere. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Brings the outside back to its start. */
  readonly reset: (ground: Fixture<G>) => Promise<void>;
  /** The outside as one text: what is the same looks the same, so without times and without numbers drawn anew. */
  readonly snapshot: (ground: Fixture<G>) => Promise<string>;
  /** Makes something happen out there that the adapter should perceive. */
  readonly triggerEvent?: (ground: Fixture<G>) => Promise<void>;
  readonly cases: readonly ConformanceCase<G>[];
}

/** One capability with one input. Whatever is left out is reported as not asked. */
export interface ConformanceCase<G extends object = object> {
  /** The whole name: `shop.order`. */
  readonly capability: string;
  /** Tells two cases of one capability apart. */
  readonly title?: string;
  /** Must succeed after `reset`, and change the picture unless it is a read. */
  readonly input: Json;
  /** Follows the trial's `reset`: what this case starts from. */
  readonly setUp?: (ground: Fixture<G>) => Promise<void>;
  /** Somebody else changes what the preview rests on. */
  readonly changeBasis?: (ground: Fixture<G>) => Promise<void>;
  /** How `apply` is made to outlast its deadline. */
  readonly slow?: SlowCase<G>;
  /** Inputs that are large, or lead to large outputs: each ends in an output or in a fault that says why. */
  readonly large?: readonly Json[];
  /** How many crashes the sweep over one whole `apply` makes, whatever was asked for; 0: it is not to be asked. */
  readonly crashes?: number;
  /** Which share of them the probe may leave to a person, from 0 to 1: 0 unless said. */
  readonly maxUnsureShare?: number;
}

export interface SlowCase<G extends object = object> {
  /** The case's own unless said. */
  readonly input?: Json;
  /** Makes the outside slow; undone by the next `reset`. */
  readonly begin?: (ground: Fixture<G>) => Promise<void>;
  /** How long the attempt is given: 500 ms unless said. It must still be at it by then. */
  readonly deadlineMs?: number;
  /** How long it may then take to stop, and its children to be gone: 2 s unless said. */
  readonly graceMs?: number;
}

export interface FixtureFolder {
  /** A fresh folder, removed at the end: what a configuration's relative paths are relative to. */
  readonly folder: string;
}

export type Fixture<G extends object = object> = FixtureFolder & G;

/** A trial whose ground nobody needs to know the shape of. */
export type ConformanceTest = ConformanceTestDefinition<object>;

/** Gives a trial its types, and finds what it misses. */
export function defineConformanceTest<G extends object = object>(
  trial: ConformanceTestDefinition<G>,
): ConformanceTest {
  const untyped = trial as unknown as ConformanceTest;
  const faults = listTestFaults(untyped);
  if (faults.length === 0) return untyped;
  throw new ParaphError(
    "adapter-invalid",
    `This is not a trial yet:${faults.map((fault) => `\n  - ${fault}`).join("")}`,
  );
}

function listTestFaults({ name, adapter, reset, snapshot: picture, cases }: ConformanceTest): string[] {
  const faults: string[] = [];
  const need = (holds: boolean, fault: string) => holds || faults.push(fault);
  need(/^[a-z][a-z0-9_]*$/.test(name ?? ""), "name: the adapter's, in lower case");
  need(
    typeof adapter === "function" || typeof adapter?.open === "function",
    "adapter: as a configuration names it",
  );
  need(typeof reset === "function", "reset: brings the outside back to its start");
  need(typeof picture === "function", "picture: the outside as one text");
  need(Array.isArray(cases) && cases.length > 0, "cases: at least one");
  for (const { capability, crashes = 1, maxUnsureShare: unsure = 0 } of cases ?? []) {
    need(capability?.startsWith(`${name}.`), `cases: \`${capability}\` should begin with \`${name}.\``);
    need(
      Number.isInteger(crashes) && crashes >= 0,
      `cases: \`${capability}\`: crashes: a whole number from 0`,
    );
    need(unsure >= 0 && unsure <= 1, `cases: \`${capability}\`: unsure: a share from 0 to 1`);
  }
  return faults;
}
