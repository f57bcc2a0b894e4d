import { rule } from "@paraph/core";
import { SeededRandom } from "@paraph/core/testing";
import { loadPolicies } from "../../packages/server/src/policy/cedar/index.ts";
import { concludeBenchmark } from "../lib/conclude.ts";
import { describeMachine } from "../lib/machine.ts";
import type { BenchOptions } from "../lib/options.ts";
import { BenchProgress } from "../lib/progress.ts";
import { computeLatency, computeMedian, type Latency } from "../lib/stats.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets } from "../lib/target.ts";
import { withFolder } from "../lib/with-folder.ts";
import { benchContracts, buildPolicyDocument, drawQuestion } from "./workload.ts";

const sizes = [10, 100, 1_000] as const;
const rounds = 5;
const aims = { p50: 0.5, p99: 2 };

interface Measurement {
  readonly policies: number;
  readonly loadMs: number;
  /**
   * The latency of the first ruling on each capability. The first ruling also computes the policy slice of the
   * capability.
   */
  readonly first: Latency;
  /**
   * The latency of every later ruling in milliseconds. It includes building the request, the evaluation,
   * and the ruling itself.
   */
  readonly latency: Latency;
  /**
   * The percentiles of the median round. The median is used because other work on the machine affects single rounds.
   */
  readonly p50: number;
  readonly p99: number;
  /** The CPU time of the process, which other processes do not increase. */
  readonly cpuMsPerRuling: number;
  readonly rulings: Readonly<Record<string, number>>;
}

/**
 * Measures rulings with 10, 100 and 1,000 policies over 200 capabilities. Resolves with whether every target was met.
 */
export async function policyBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const progress = new BenchProgress();
  const about = await withFolder(
    async (folder) => describeMachine(folder),
    () => {},
  );
  const measured: Measurement[] = [];
  for (const policies of sizes) {
    signal.throwIfAborted();
    progress.show(`${policies} policies`);
    measured.push(measure(policies, options.quick ? 400 : 4_000));
  }
  progress.end();
  const targets = measured.flatMap(evaluateTargets);
  const found = {
    name: "policy",
    targets,
    measured: { contracts: benchContracts.length, measured },
    report: `${formatReport(measured)}\n\n${formatTargets("Rulings", targets)}`,
    covers: [
      "Rulings in one process, without server, database or engine.",
      ...measured.map(
        ({ policies, latency, rulings }) =>
          `${policies} policies over ${benchContracts.length} capabilities: ${latency.count} rulings in ${rounds} rounds; drawn, with the warm-up: ${formatShares(rulings)}.`,
      ),
    ],
  };
  return concludeBenchmark(options, about, found);
}

function evaluateTargets({ policies, p50, p99 }: Measurement): BenchTarget[] {
  return (Object.entries({ p50, p99 }) as ["p50" | "p99", number][]).map(([name, ms]) => ({
    what: `${policies.toLocaleString("en")} policies: a ruling, ${name}`,
    aim: `≤ ${aims[name]} ms`,
    measured: `${formatFigure(ms)} ms`,
    met: ms <= aims[name],
  }));
}

function measure(policies: number, perRound: number): Measurement {
  const begun = performance.now();
  const set = loadPolicies(buildPolicyDocument(policies), benchContracts);
  const loadMs = performance.now() - begun;
  const policy = { current: () => set };
  const rulings: Record<string, number> = { allow: 0, check: 0, ask: 0, block: 0 };
  // The seed makes every run draw the same questions.
  const random = new SeededRandom(`policy-${policies}`);
  const chance = () => random.chance();
  const timed = () => {
    const { subject, evidence } = drawQuestion(set, chance);
    const started = performance.now();
    const { kind } = rule(policy, subject, evidence);
    const took = performance.now() - started;
    rulings[kind]! += 1;
    return took;
  };

  const first = benchContracts.map((contract) => {
    const { subject, evidence } = drawQuestion(set, chance);
    const started = performance.now();
    set.readsEnvironment(contract);
    rule(policy, { ...subject, contract }, evidence);
    return performance.now() - started;
  });
  for (let i = 0; i < perRound; i += 1) timed();
  const spent = process.cpuUsage();
  const times = Array.from({ length: rounds }, () => Array.from({ length: perRound }, timed));
  const { user, system } = process.cpuUsage(spent);
  const latencies = times.map(computeLatency);
  return {
    policies,
    loadMs,
    first: computeLatency(first),
    latency: computeLatency(times.flat()),
    p50: computeMedian(latencies.map(({ p50 }) => p50)),
    p99: computeMedian(latencies.map(({ p99 }) => p99)),
    cpuMsPerRuling: (user + system) / 1_000 / (rounds * perRound),
    rulings,
  };
}

function formatShares(rulings: Measurement["rulings"]): string {
  const all = Object.values(rulings).reduce((a, b) => a + b);
  return Object.entries(rulings)
    .map(([kind, count]) => `${kind} ${formatFigure((100 * count) / all)} %`)
    .join(", ");
}

function formatReport(measured: readonly Measurement[]): string {
  const rows = measured.map((one) => [
    one.policies.toLocaleString("en"),
    ...[one.p50, one.latency.p95, one.p99, one.cpuMsPerRuling, one.first.p50, one.loadMs].map(formatFigure),
    formatShares(one.rulings),
  ]);
  const heading = [
    "Ruling, ms: policies",
    "p50",
    "p95",
    "p99",
    "CPU",
    "first of its capability",
    "load",
    "rulings",
  ];
  return alignTable(heading, rows);
}
