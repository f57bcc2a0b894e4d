import type { LoadGenerator } from "../lib/load.ts";
import { readMachineBusyMs, readUsage } from "../lib/usage.ts";
import { type CallCluster, type ClusterPart, clusterParts } from "./cluster.ts";
import { createVariantTarget, type Variant } from "./variants.ts";

export type CpuTimes = Readonly<Partial<Record<ClusterPart | "load", number>>>;

/** Lists the parts of the cluster, and the load generator. */
export const measuredParts = [...clusterParts, "load"] as const;

/** A short measurement of one variant under one load. */
export interface MeasuredSlice {
  readonly variant: Variant;
  readonly connections: number;
  readonly callsPerSecond: number;
  readonly latencies: readonly number[];
  /** Milliseconds of CPU per call, by process. */
  readonly cpuMs: CpuTimes;
  /** The bytes of PostgreSQL's write-ahead log, and the bytes that Restate wrote to disk. */
  readonly bytes: { readonly wal: number; readonly restate: number };
  /** The number of cores that other processes used meanwhile. A high number makes the slice unreliable. */
  readonly othersCores: number;
  readonly answered: number;
  readonly errors: number;
  readonly firstError: string | undefined;
}

export interface SliceOrder {
  readonly variant: Variant;
  readonly connections: number;
  readonly warmMs: number;
  readonly measureMs: number;
}

/** Runs one variant under load and reads the usage of every process at the start and the end of the measured time. */
export async function measureSlice(
  { variant, connections, warmMs, measureMs }: SliceOrder,
  cluster: CallCluster,
  load: LoadGenerator,
): Promise<MeasuredSlice> {
  const readings: Promise<Reading>[] = [];
  const order = { target: createVariantTarget(variant, cluster), connections, until: { warmMs, measureMs } };
  const loaded = await load.run(order, () => {
    const reading = takeReading(cluster, load);
    // A reading fails if the run stops while the load is still running. No code awaits the reading then, so this
    // handler prevents an unhandled rejection.
    reading.catch(() => {});
    readings.push(reading);
  });
  const [before, after] = await Promise.all(readings);
  if (!before || !after) throw new Error("a slice ended before it was measured");
  const calls = loaded.latencies.length;
  const used = measuredParts.flatMap((part) => {
    const [from, to] = [before.cpuMs[part], after.cpuMs[part]];
    return from === undefined || to === undefined ? [] : [[part, to - from] as const];
  });
  const ours = used.reduce((sum, [, ms]) => sum + ms, 0);
  return {
    variant,
    connections,
    callsPerSecond: calls / loaded.seconds,
    latencies: loaded.latencies,
    cpuMs: Object.fromEntries(used.map(([part, ms]) => [part, ms / calls])),
    bytes: { wal: (after.wal - before.wal) / calls, restate: (after.restate - before.restate) / calls },
    othersCores: Math.max(0, (after.busyMs - before.busyMs - ours) / (after.at - before.at)),
    answered: loaded.answered,
    errors: loaded.errors,
    firstError: loaded.firstError,
  };
}

interface Reading {
  readonly at: number;
  readonly cpuMs: CpuTimes;
  readonly busyMs: number;
  readonly wal: number;
  readonly restate: number;
}

async function takeReading(cluster: CallCluster, load: LoadGenerator): Promise<Reading> {
  const at = performance.now();
  const pids = { ...cluster.pids, load: load.pid };
  const usages = Object.entries(pids).map(([part, pid]) => [part, readUsage(pid)] as const);
  const busyMs = readMachineBusyMs();
  const [row] = await cluster.query<{ bytes: string }>(
    "select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes",
  );
  return {
    at,
    busyMs,
    cpuMs: Object.fromEntries(usages.map(([part, { cpuMs }]) => [part, cpuMs])),
    wal: Number(row?.bytes),
    restate: usages.find(([part]) => part === "restate")?.[1].writtenBytes ?? Number.NaN,
  };
}
