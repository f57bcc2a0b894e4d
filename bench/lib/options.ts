import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Whether the run is short, for CI. A short run includes every variant but measures each only briefly. */
  readonly quick: boolean;
  /** Whether the last line of standard output is one JSON object. Text for people then goes to standard error. */
  readonly json: boolean;
  /** Whether the command exits with 1 when a target is missed. */
  readonly check: boolean;
  /** Whether to profile the processes, separately from all measurements. */
  readonly profile: boolean;
  /** Whether the worker performs every write. Otherwise the process that receives a write may perform it. */
  readonly engine: boolean;
  /** The folder for the results as JSON and as charts. */
  readonly out: string | undefined;
}

export const usageText = `npm run bench -- <name> [--quick] [--json] [--check] [--profile] [--engine] [--out DIR]

  --quick    under a minute, for CI: every variant, wide tolerance
  --json     the results as one JSON object on the last line of standard output
  --check    exit 1 when a target is missed
  --profile  where the processes spend their time, in slices of their own
  --engine   writes go through the engine to the worker instead of being performed where they arrive
  --out DIR  write results as JSON, charts as SVG and profiles into DIR`;

export function parseOptions(args: readonly string[]): { names: readonly string[]; options: BenchOptions } {
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { quick: flag, json: flag, check: flag, profile: flag, engine: flag, out: { type: "string" } },
  });
  const { out, ...flags } = values;
  return { names: positionals, options: { ...flags, out } };
}
