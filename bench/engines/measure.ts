import { join } from "node:path";
import { type LabEngine, labEngines } from "../../lab/lab.ts";
import {
  connectDatabase,
  listOrphanedCalls,
  sweepDueCalls,
} from "../../packages/server/src/postgres/index.ts";
import { measurePacedDecisions } from "../approvals/paced-decisions.ts";
import { createWaitingApprovals } from "../approvals/waiting-approvals.ts";
import { countWaiting } from "../lib/count-waiting.ts";
import { LoadGenerator } from "../lib/load.ts";
import type { BenchProgress } from "../lib/progress.ts";
import { computeLatency, computeMedian, computeSpread, type Spread } from "../lib/stats.ts";
import { readUsage } from "../lib/usage.ts";
import type { TrackStart } from "../lib/with-folder.ts";
import { createCallTarget, type EngineCluster, startEngineCluster } from "./cluster.ts";
import type { EnginesWorkload } from "./workload.ts";

export const manyConnections = 32;

/** The measurements of one turn. Latencies are in milliseconds. */
interface Slice {
  /** The latency of a write at one connection, which the worker performs. */
  readonly writeP50: number;
  readonly writeP99: number;
  readonly writesPerSecond: number;
  /** The CPU time of all processes of the cluster per write. It depends less on other work than the other figures. */
  readonly writeCpuMs: number;
  /** Calls that all need the same lock. */
  readonly lockedPerSecond: number;
  /** From sending an approval to the end of its call. */
  readonly approvalP50: number;
  readonly approvalP99: number;
}

/** The figures of one cluster. Each spread is over the rounds. */
export interface EngineFigures extends Readonly<Record<keyof Slice, Spread>> {
  readonly engine: LabEngine;
  readonly workers: number;
  readonly waiting: number;
  /** One pass of the sweeper that finds nothing due. */
  readonly sweepMs: number;
}

export interface EnginesMeasurement {
  readonly rounds: number;
  /** Each step contains the clusters that took turns with one another. Compare figures only within a step. */
  readonly steps: readonly (readonly EngineFigures[])[];
  readonly errors: readonly string[];
}

interface EnginesRun {
  readonly plan: EnginesWorkload;
  readonly load: LoadGenerator;
  readonly progress: BenchProgress;
  readonly errors: string[];
}

/** A cluster in its turn, with the number of approvals that wait in it. */
interface Participant {
  readonly cluster: EngineCluster;
  readonly waiting: number;
}

/**
 * Measures both engines in one run. The clusters take turns in every round, because other work on the machine would
 * otherwise change the comparison. First, clusters with one worker and with three take turns. Then clusters without
 * waiting approvals and with many take turns.
 */
export async function measureEngines(
  plan: EnginesWorkload,
  folder: string,
  progress: BenchProgress,
  starting: TrackStart,
): Promise<EnginesMeasurement> {
  const run: EnginesRun = { plan, progress, load: await starting(LoadGenerator.start()), errors: [] };
  const start = async (workers: number, name: string) => {
    const clusters: EngineCluster[] = [];
    for (const engine of labEngines) {
      progress.show(`starting ${engine} for ${name}`);
      const cluster = await startEngineCluster(
        join(folder, `${engine}-${name}`),
        { engine, workers },
        starting,
      );
      await run.load.run({
        target: createCallTarget(cluster, "bench.write"),
        connections: 8,
        until: plan.first,
      });
      clusters.push(cluster);
    }
    return clusters;
  };
  const [one, three] = [await start(1, "one"), await start(3, "three")];
  const none = one.map((cluster) => ({ cluster, waiting: 0 }));
  const steps = [await measureInTurn(run, [...none, ...three.map((cluster) => ({ cluster, waiting: 0 }))])];
  await Promise.all(three.map((cluster) => cluster.stopProcesses()));

  const some = await start(1, "waiting");
  let before = 0;
  for (const waiting of plan.waiting) {
    for (const cluster of some) await addWaitingApprovals(run, cluster, before, waiting);
    before = waiting;
    steps.push(await measureInTurn(run, [...none, ...some.map((cluster) => ({ cluster, waiting }))]));
  }
  return { rounds: plan.rounds, steps, errors: run.errors };
}

async function addWaitingApprovals(
  { progress, errors }: EnginesRun,
  cluster: EngineCluster,
  before: number,
  waiting: number,
): Promise<void> {
  progress.show(`${waiting.toLocaleString("en")} approvals wait on ${cluster.engine}`);
  await createWaitingApprovals(cluster, { rounds: waiting - before, messages: waiting - before });
  const found = await countWaiting(cluster);
  // Restate also keeps the delayed message of a call that was approved, until the time of the message.
  const { rounds, calls, messages = waiting } = found;
  if (rounds !== waiting || calls !== waiting || messages < waiting)
    errors.push(`${waiting} approvals should wait on ${cluster.engine}; found ${JSON.stringify(found)}`);
}

/** Measures all participants in every round. Each round starts with another one. */
async function measureInTurn(
  run: EnginesRun,
  participants: readonly Participant[],
): Promise<readonly EngineFigures[]> {
  const slices = new Map<Participant, Slice[]>(participants.map((each) => [each, []]));
  for (let round = 0; round < run.plan.rounds; round++) {
    const first = round % participants.length;
    for (const each of [...participants.slice(first), ...participants.slice(0, first)]) {
      const slice = await measureSlice(run, each.cluster);
      slices.get(each)?.push(slice);
      run.progress.show(
        `round ${round + 1}/${run.plan.rounds}  ${each.cluster.engine}, ${each.cluster.workers} workers, ${each.waiting} waiting: ${Math.round(slice.writesPerSecond)} calls/s`,
      );
    }
  }
  const figures: EngineFigures[] = [];
  for (const each of participants)
    figures.push({
      engine: each.cluster.engine,
      workers: each.cluster.workers,
      waiting: each.waiting,
      ...toFigures(slices.get(each) ?? []),
      sweepMs: await measureSweep(each.cluster, run.plan.sweeps),
    });
  return figures;
}

async function measureSlice({ plan, load, errors }: EnginesRun, cluster: EngineCluster): Promise<Slice> {
  const { warmMs, measureMs } = plan;
  const measure = async (capability: "bench.write" | "bench.locked", connections: number) => {
    const target = createCallTarget(cluster, capability);
    const cpuMs: number[] = [];
    const loaded = await load.run({ target, connections, until: { warmMs, measureMs } }, () =>
      cpuMs.push(cluster.pids.reduce((sum, pid) => sum + readUsage(pid).cpuMs, 0)),
    );
    const [from = Number.NaN, to = Number.NaN] = cpuMs;
    if (loaded.errors > 0)
      errors.push(`${cluster.engine}, ${capability}: ${loaded.errors} errors, first: ${loaded.firstError}`);
    const { length: calls } = loaded.latencies;
    return {
      ...computeLatency(loaded.latencies),
      perSecond: calls / loaded.seconds,
      cpuMs: (to - from) / calls,
    };
  };
  const single = await measure("bench.write", 1);
  const writes = await measure("bench.write", manyConnections);
  const locked = await measure("bench.locked", manyConnections);
  const { toClosed, faults } = await measurePacedDecisions(cluster, plan.pace);
  errors.push(...faults.map((fault) => `${cluster.engine}: ${fault}`));
  return {
    writeP50: single.p50,
    writeP99: single.p99,
    writesPerSecond: writes.perSecond,
    writeCpuMs: writes.cpuMs,
    lockedPerSecond: locked.perSecond,
    approvalP50: toClosed.p50,
    approvalP99: toClosed.p99,
  };
}

function toFigures(slices: readonly Slice[]): Readonly<Record<keyof Slice, Spread>> {
  const spread = (name: keyof Slice) => computeSpread(slices.map((slice) => slice[name]));
  return {
    writeP50: spread("writeP50"),
    writeP99: spread("writeP99"),
    writesPerSecond: spread("writesPerSecond"),
    writeCpuMs: spread("writeCpuMs"),
    lockedPerSecond: spread("lockedPerSecond"),
    approvalP50: spread("approvalP50"),
    approvalP99: spread("approvalP99"),
  };
}

/** Returns the median duration of the queries with which the sweeper finds due and orphaned calls, if there are none. */
async function measureSweep({ databaseUrl }: EngineCluster, times: number): Promise<number> {
  const database = await connectDatabase(databaseUrl);
  try {
    const durations: number[] = [];
    for (let n = 0; n < times; n++) {
      const begun = performance.now();
      await listOrphanedCalls(database.sweeper);
      await sweepDueCalls(database.sweeper);
      durations.push(performance.now() - begun);
    }
    return computeMedian(durations);
  } finally {
    await database.close();
  }
}
