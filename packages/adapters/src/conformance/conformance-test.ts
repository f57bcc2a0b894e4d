import { type Adapter, type Json, ParaphError } from "@paraph/core";

/**
 * The definition of a conformance test: a fixture, and one case for each capability. It is the default export of its
 * own module. The suite runs the adapter in child processes, which import this module. The suite also kills these
 * processes. The functions between `prepare` and `cleanup` (`reset`, `snapshot`, `triggerEvent`) run in the suite's own
 * process.
 */
export interface ConformanceTestDefinition<G extends object> {
  /** The name under which the suite opens the adapter. The name of every capability starts with this name. */
  readonly name: string;
  /**
   * Sets up the external system once. Returns the data that the other functions need to reach the system. The data must
   * be JSON, because the suite sends it to other processes.
   */
  readonly prepare?: (fixture: FixtureFolder) => Promise<G>;
  readonly cleanup?: (fixture: Fixture<G>) => Promise<void>;
  /**
   * The adapter as it appears in a configuration. If the adapter depends on the fixture, this field is a function that
   * creates the adapter.
   */
  readonly adapter: Adapter | ((fixture: Fixture<G>) => Adapter);
  /**
   * The credentials of the adapter by name. The suite fails if the value of a credential appears in a preview, an
   * output, a progress report, a fault or printed text.
   */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Resets the external system to its initial state. */
  readonly reset: (fixture: Fixture<G>) => Promise<void>;
  /**
   * Returns the state of the external system as text. Equal states give equal texts, so leave out times and random
   * numbers.
   */
  readonly snapshot: (fixture: Fixture<G>) => Promise<string>;
  /** Causes an event in the external system that the adapter should observe. */
  readonly triggerEvent?: (fixture: Fixture<G>) => Promise<void>;
  readonly cases: readonly ConformanceCase<G>[];
}

/**
 * One capability with one input. If a verification needs a field that the case omits, the suite reports `not-asked`.
 */
export interface ConformanceCase<G extends object = object> {
  /** The full name of the capability, for example `shop.order`. */
  readonly capability: string;
  /** A title to distinguish two cases of one capability. */
  readonly title?: string;
  /**
   * The input. A call with this input must succeed after `reset`. It must also change the snapshot, unless the
   * capability is a read.
   */
  readonly input: Json;
  /** Prepares this case, after `reset`. */
  readonly setUp?: (fixture: Fixture<G>) => Promise<void>;
  /** Changes the basis of the preview, as another user would. */
  readonly changeBasis?: (fixture: Fixture<G>) => Promise<void>;
  /** The settings that make `apply` exceed its deadline. */
  readonly slow?: SlowCase<G>;
  /**
   * Inputs that are large or have large outputs. Each call must return an output, or fail with a fault that explains
   * why there is no output.
   */
  readonly large?: readonly Json[];
  /**
   * The number of times that the crash verification kills `apply` in this case. It overrides the suite's option. 0
   * skips the verification.
   */
  readonly crashes?: number;
  /** The maximum share of crashes, from 0 to 1, for which the probe may answer `unsure` (default: 0). */
  readonly maxUnsureShare?: number;
}

/** The settings that make an attempt exceed its deadline. */
export interface SlowCase<G extends object = object> {
  /** The input of the slow attempt (default: the input of the case). */
  readonly input?: Json;
  /** Makes the external system slow. The next `reset` undoes this change. */
  readonly begin?: (fixture: Fixture<G>) => Promise<void>;
  /** The deadline of the attempt (default: 500 ms). The attempt must still be running when the deadline passes. */
  readonly deadlineMs?: number;
  /** The time in which the attempt and all its children must stop after the deadline. It overrides the suite's option. */
  readonly graceMs?: number;
}

/** The folder of a fixture. */
export interface FixtureFolder {
  /**
   * A new folder, which the suite removes when the test closes. Relative paths in the adapter's configuration are
   * relative to this folder.
   */
  readonly folder: string;
}

/** The external system that a conformance test prepared: its folder, and the result of `prepare`. */
export type Fixture<G extends object = object> = FixtureFolder & G;

/** A conformance test with an unspecified fixture type. */
export type ConformanceTest = ConformanceTestDefinition<object>;

/** Checks and types a conformance test. If the test is incomplete, throws an error that lists all faults. */
export function defineConformanceTest<G extends object = object>(
  test: ConformanceTestDefinition<G>,
): ConformanceTest {
  const untyped = test as unknown as ConformanceTest;
  const faults = listTestFaults(untyped);
  if (faults.length === 0) return untyped;
  throw new ParaphError(
    "adapter-invalid",
    `This conformance test is incomplete:${faults.map((fault) => `\n  - ${fault}`).join("")}`,
  );
}

function listTestFaults({ name, adapter, reset, snapshot, cases }: ConformanceTest): string[] {
  const faults: string[] = [];
  const need = (holds: boolean, fault: string) => holds || faults.push(fault);
  need(/^[a-z][a-z0-9_]*$/.test(name ?? ""), "name: must be the adapter's name in lower case");
  need(
    typeof adapter === "function" || typeof adapter?.open === "function",
    "adapter: must be an adapter as in a configuration, or a function that returns one",
  );
  need(typeof reset === "function", "reset: must be a function that resets the external system");
  need(
    typeof snapshot === "function",
    "snapshot: must be a function that returns the external system's state as text",
  );
  need(Array.isArray(cases) && cases.length > 0, "cases: must contain at least one case");
  for (const { capability, crashes = 1, maxUnsureShare = 0 } of cases ?? []) {
    need(capability?.startsWith(`${name}.`), `cases: \`${capability}\` must begin with \`${name}.\``);
    need(
      Number.isInteger(crashes) && crashes >= 0,
      `cases: \`${capability}\`: crashes: must be a whole number of at least 0`,
    );
    need(
      maxUnsureShare >= 0 && maxUnsureShare <= 1,
      `cases: \`${capability}\`: maxUnsureShare: must be a number from 0 to 1`,
    );
  }
  return faults;
}
