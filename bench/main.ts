// `npm run bench -- <name>` runs a benchmark, prints its result for people and programs, and reports whether it met its
// targets.
import { approvalsBenchmark } from "./approvals/index.ts";
import { backtestBenchmark } from "./backtest/index.ts";
import type { benchmarkNames } from "./benchmark-names.ts";
import { budgetBenchmark } from "./budget/index.ts";
import { burstBenchmark } from "./burst/index.ts";
import { callBenchmark } from "./call/index.ts";
import { capabilitiesBenchmark } from "./capabilities/index.ts";
import { consoleBenchmark } from "./console/index.ts";
import { enginesBenchmark } from "./engines/index.ts";
import { type BenchOptions, parseOptions, usageText } from "./lib/options.ts";
import { mcpBenchmark } from "./mcp/index.ts";
import { planBenchmark } from "./plan/index.ts";
import { policyBenchmark } from "./policy/index.ts";
import { sizeBenchmark } from "./size/index.ts";

/** A benchmark, which resolves with whether every target was met. */
export type Benchmark = (options: BenchOptions, signal: AbortSignal) => Promise<boolean>;

interface BenchmarkEntry {
  readonly about: string;
  readonly run: Benchmark;
}

const knownBenchmarks: Record<(typeof benchmarkNames)[number], BenchmarkEntry> = {
  approvals: { about: "what people wait for while 20,000 approvals do", run: approvalsBenchmark },
  backtest: { about: "the calls of the past against a candidate's policies", run: backtestBenchmark },
  budget: { about: "processor time, WAL and commits per call, by part", run: budgetBenchmark },
  burst: { about: "calls of one tenant while another sends 4,000 at once", run: burstBenchmark },
  call: { about: "one governed call against the bare engine and the bare function", run: callBenchmark },
  capabilities: {
    about: "start, list and admission with 1,000 capabilities against 10",
    run: capabilitiesBenchmark,
  },
  console: { about: "the console in a browser: first load, updates and lists", run: consoleBenchmark },
  engines: { about: "both engines side by side, whatever --engine names", run: enginesBenchmark },
  mcp: { about: "a tool through Paraph against its server, and a list of 1,000", run: mcpBenchmark },
  plan: { about: "a step of a plan of 1,000 against one of a plan of 10", run: planBenchmark },
  policy: { about: "one ruling at 10, 100 and 1,000 policies", run: policyBenchmark },
  size: { about: "reads, writes, lists and the sweep while past calls accumulate", run: sizeBenchmark },
};
const benchmarks: Readonly<Record<string, BenchmarkEntry>> = knownBenchmarks;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const parsed = tryParseOptions(args);
  if (typeof parsed === "string") return printUsage(parsed);
  const { names, options } = parsed;
  const benchmark = names.length === 1 ? benchmarks[names[0] ?? ""] : undefined;
  if (!benchmark)
    return printUsage(names.length === 1 ? `There is no benchmark \`${names[0]}\`.` : "Name one benchmark.");
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => stopping.abort(new Error(`stopped by ${signal}`)));
  try {
    const met = await benchmark.run(options, stopping.signal);
    return options.check && !met ? 1 : 0;
  } catch (error) {
    console.error(`\n${error instanceof Error ? error.message : error}`);
    return 1;
  }
}

function tryParseOptions(args: readonly string[]): ReturnType<typeof parseOptions> | string {
  try {
    return parseOptions(args);
  } catch (error) {
    return (error as Error).message;
  }
}

function printUsage(fault: string): number {
  const list = Object.entries(benchmarks).map(([name, { about }]) => `  ${name.padEnd(12)}  ${about}`);
  console.error(`${fault}\n\n${usageText}\n\nBenchmarks:\n${list.join("\n")}`);
  return 2;
}
