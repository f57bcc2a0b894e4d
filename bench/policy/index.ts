import { rule } from "@paraph/core";
import { SeededRandom } from "@paraph/core/testing";
import { loadPolicies } from "../../packages/server/src/cedar/index.ts";
import { machine } from "../lib/machine.ts";
import type { Options } from "../lib/options.ts";
import { Progress } from "../lib/progress.ts";
import { withFolder } from "../lib/scope.ts";
import { type Latency, latencyOf, medianOf } from "../lib/stats.ts";
import { figure, table } from "../lib/table.ts";
import { contracts, documentOf, drawn } from "./world.ts";

const sizes = [10, 100, 1_000] as const;
const rounds = 5;
const targets = { p50: 0.5, p99: 2 };

interface Measured {
  readonly policies: number;
  readonly loadMs: number;
  /** The first question about each capability, which cuts its slice. */
  readonly first: Latency;
  /** Every later one: entities and context built, Cedar asked, the ruling made. In milliseconds. */
  readonly latency: Latency;
  /** The middle round's: others on the machine hit single rounds. */
  readonly p50: number;
  readonly p99: number;
  /** In the process's own time, which others on the machine do not add to. */
  readonly cpuMsPerRuling: number;
  readonly rulings: Readonly<Record<string, number>>;
}

/** Rulings at 10, 100 and 1,000 policies over 200 capabilities. Resolves with whether every target was met. */
export async function policyBenchmark(options: Options, signal: AbortSignal): Promise<boolean> {
  const progress = new Progress();
  const about = await withFolder(
    async (folder) => machine(folder),
    () => {},
  );
  const measured: Measured[] = [];
  for (const policies of sizes) {
    signal.throwIfAborted();
    progress.say(`${policies} policies`);
    measured.push(measure(policies, options.quick ? 400 : 4_000));
  }
  progress.end();
  const met = measured.every(({ p50, p99 }) => p50 <= targets.p50 && p99 <= targets.p99);
  const say = options.json ? console.error : console.log;
  say(`\n${report(measured, met)}`);
  say(
    `\n${about.cpu}, ${about.cores} cores, Node ${about.node}; load average before the run ${figure(about.loadBefore)}${about.loadBefore > about.cores ? ": NOISY, do not quote" : ""}`,
  );
  if (options.json)
    console.log(
      JSON.stringify({ name: "policy", machine: about, contracts: contracts.length, measured, targets, met }),
    );
  return met;
}

function measure(policies: number, perRound: number): Measured {
  const begun = performance.now();
  const set = loadPolicies(documentOf(policies), contracts);
  const loadMs = performance.now() - begun;
  const policy = { current: () => set };
  const rulings: Record<string, number> = { allow: 0, check: 0, ask: 0, block: 0 };
  // The same draws in every run.
  const random = new SeededRandom(`policy-${policies}`);
  const chance = () => random.chance();
  const timed = () => {
    const { subject, evidence } = drawn(set, chance);
    const started = performance.now();
    const { kind } = rule(policy, subject, evidence);
    const took = performance.now() - started;
    rulings[kind]! += 1;
    return took;
  };

  const first = contracts.map((contract) => {
    const { subject, evidence } = drawn(set, chance);
    const started = performance.now();
    set.readsEnvironment(contract);
    rule(policy, { ...subject, contract }, evidence);
    return performance.now() - started;
  });
  for (let i = 0; i < perRound; i += 1) timed();
  const spent = process.cpuUsage();
  const times = Array.from({ length: rounds }, () => Array.from({ length: perRound }, timed));
  const { user, system } = process.cpuUsage(spent);
  const latencies = times.map(latencyOf);
  return {
    policies,
    loadMs,
    first: latencyOf(first),
    latency: latencyOf(times.flat()),
    p50: medianOf(latencies.map(({ p50 }) => p50)),
    p99: medianOf(latencies.map(({ p99 }) => p99)),
    cpuMsPerRuling: (user + system) / 1_000 / (rounds * perRound),
    rulings,
  };
}

function report(measured: readonly Measured[], met: boolean): string {
  const rows = measured.map((one) => [
    one.policies.toLocaleString("en"),
    ...[one.p50, one.latency.p95, one.p99, one.cpuMsPerRuling, one.first.p50, one.loadMs].map(figure),
    Object.entries(one.rulings)
      .map(
        ([kind, count]) =>
          `${kind} ${figure((100 * count) / Object.values(one.rulings).reduce((a, b) => a + b))} %`,
      )
      .join(", "),
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
  const aim = `p50 ≤ ${targets.p50} ms, p99 ≤ ${targets.p99} ms`;
  return `${table(heading, rows)}\n\n${aim}: ${met ? "pass" : "MISS"}`;
}
