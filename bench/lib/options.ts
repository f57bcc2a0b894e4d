import { parseArgs } from "node:util";
import { type LabEngine, labEngines } from "../../lab/lab.ts";

export interface BenchOptions {
  /** Whether the run is short, for CI. A short run includes every variant but measures each only briefly. */
  readonly quick: boolean;
  /** Whether the last line of standard output is one JSON object. Text for people then goes to standard error. */
  readonly json: boolean;
  /** Whether the command exits with 1 when a target is missed. */
  readonly check: boolean;
  /** Whether to profile the processes, separately from all measurements. */
  readonly profile: boolean;
  /** The engine that brings due calls to workers. */
  readonly engine: LabEngine;
  /** Whether the worker performs every write. Otherwise the process that receives a write may perform it. */
  readonly worker: boolean;
  /** The folder for the results as JSON and as charts. */
  readonly out: string | undefined;
  /** The folder of another clone, whose `budget` is measured in turn with this one. */
  readonly against: string | undefined;
}

export const usageText = `npm run bench -- <name> [--engine NAME] [--quick] [--json] [--check] [--profile] [--worker] [--out DIR] [--against DIR]

  --engine NAME  engine of the measured processes: ${labEngines.join(" or ")} (default: postgres)
  --quick        run for about a minute with wide tolerances, for CI
  --json         print the results as one JSON object on the last line of standard output
  --check        exit with 1 if a target is missed
  --profile      profile the processes, in slices of their own
  --worker       send every write through the engine to the worker
  --out DIR      write results as JSON, charts as SVG and profiles into DIR
  --against DIR  measure \`budget\` of another clone in turn with this one`;

export function parseOptions(args: readonly string[]): { names: readonly string[]; options: BenchOptions } {
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...{ quick: flag, json: flag, check: flag, profile: flag, worker: flag },
      engine: { type: "string", default: "postgres" },
      out: { type: "string" },
      against: { type: "string" },
    },
  });
  const { out, against, engine: name, ...flags } = values;
  const engine = labEngines.find((each) => each === name);
  if (!engine) throw new Error(`There is no engine \`${name}\`. There are: ${labEngines.join(", ")}.`);
  return { names: positionals, options: { ...flags, engine, out, against } };
}
