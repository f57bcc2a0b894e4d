import { requestApprovals, sendDecision } from "../approvals/approval-requests.ts";
import { agentIds, approvers } from "../approvals/cluster.ts";
import { topicCapabilities } from "../approvals/config.ts";
import { waitForStarts } from "../approvals/wait-for-starts.ts";
import { createCallTarget, type EngineCluster } from "../engines/cluster.ts";
import type { LoadGenerator } from "../lib/load.ts";
import { computeMedian } from "../lib/stats.ts";
import { readUsage } from "../lib/usage.ts";
import { measureSpeed } from "./calibration.ts";
import type { CallCost, CallKind } from "./kinds.ts";

export const connections = 32;

/** The amount of work of one measurement. */
export interface BudgetWorkload {
  readonly rounds: number;
  /** The calls of each kind in a slice, and the time in which they must end. */
  readonly calls: number;
  readonly withinMs: number;
  readonly seconds: number;
}

export const pickBudgetWorkload = (quick: boolean): BudgetWorkload =>
  quick
    ? { rounds: 1, calls: 300, withinMs: 30_000, seconds: 180 }
    : { rounds: 3, calls: 2_000, withinMs: 120_000, seconds: 900 };

/** Sends calls of this kind, and resolves with their number once all have ended. */
export async function sendCalls(
  cluster: EngineCluster,
  load: LoadGenerator,
  kind: CallKind,
  { calls, withinMs }: Pick<BudgetWorkload, "calls" | "withinMs">,
): Promise<number> {
  if (kind === "asked") return sendApprovedCalls(cluster, calls);
  const target = createCallTarget(cluster, `bench.${kind}`);
  const { latencies, errors, firstError } = await load.run({
    target,
    connections,
    until: { calls, withinMs },
  });
  if (errors > 0) throw new Error(`${kind}: ${errors} errors, first: ${firstError}`);
  return latencies.length;
}

async function sendApprovedCalls(cluster: EngineCluster, calls: number): Promise<number> {
  const asked = await requestApprovals(
    cluster,
    Array.from({ length: calls }, (_, n) => ({
      agent: agentIds[n % agentIds.length] as string,
      capability: topicCapabilities[n % topicCapabilities.length] as string,
    })),
  );
  const left = asked.entries();
  const decide = async () => {
    for (const [n, waiting] of left) {
      const person = approvers[n % approvers.length] as string;
      const { status, code } = await sendDecision(cluster, waiting, { person, decision: "approve" });
      if (status !== 200) throw new Error(`asked: a decision was answered with ${status} ${code}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, decide));
  const starts = await waitForStarts(cluster, asked);
  const performed = [...starts.values()].filter(({ length }) => length === 1).length;
  if (performed !== calls) throw new Error(`asked: ${performed} of ${calls} calls were performed once`);
  return calls;
}

/** Measures the cost of one kind: the median over the rounds, then the functions in a slice that is not counted. */
export async function measureCost(
  cluster: EngineCluster,
  load: LoadGenerator,
  kind: CallKind,
  workload: BudgetWorkload,
): Promise<CallCost> {
  const rounds: Omit<CallCost, "functions">[] = [];
  for (let round = 0; round < workload.rounds; round++) {
    const speed = measureSpeed();
    const before = await readCounters(cluster);
    const calls = await sendCalls(cluster, load, kind, workload);
    const after = await readCounters(cluster);
    rounds.push(divide(before, after, calls, (speed + measureSpeed()) / 2));
  }
  const middle = (pick: (cost: Omit<CallCost, "functions">) => number) => computeMedian(rounds.map(pick));
  return {
    calls: rounds.reduce((sum, { calls }) => sum + calls, 0),
    api: middle(({ api }) => api),
    worker: middle(({ worker }) => worker),
    postgres: middle(({ postgres }) => postgres),
    restate: middle(({ restate }) => restate),
    walBytes: middle(({ walBytes }) => walBytes),
    commits: middle(({ commits }) => commits),
    fsyncs: middle(({ fsyncs }) => fsyncs),
    functions: await measureFunctions(cluster, load, kind, workload),
  };
}

interface Counters {
  readonly cpuMs: Readonly<Record<"api" | "worker" | "postgres" | "restate", number>>;
  readonly wal: number;
  readonly commits: number;
  readonly fsyncs: number;
}

async function readCounters({ pidsByPart, query }: EngineCluster): Promise<Counters> {
  const { api, worker, postgres, restate } = pidsByPart;
  const cpu = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + readUsage(pid).cpuMs, 0);
  const cpuMs = {
    api: cpu(api),
    worker: cpu(worker),
    postgres: cpu([postgres]),
    restate: restate === undefined ? 0 : cpu([restate]),
  };
  const [row] = await query<Omit<Counters, "cpuMs">>(
    `select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal,
       (select sum(xact_commit)::float8 from pg_stat_database where datname = current_database()) as commits,
       (select coalesce(sum(fsyncs), 0)::float8 from pg_stat_io where object = 'wal') as fsyncs`,
  );
  if (!row) throw new Error("PostgreSQL returned no counters.");
  return { cpuMs, ...row };
}

function divide(
  before: Counters,
  after: Counters,
  calls: number,
  speed: number,
): Omit<CallCost, "functions"> {
  const microseconds = (part: keyof Counters["cpuMs"]) =>
    ((after.cpuMs[part] - before.cpuMs[part]) * 1_000 * speed) / calls;
  return {
    calls,
    api: microseconds("api"),
    worker: microseconds("worker"),
    postgres: microseconds("postgres"),
    restate: microseconds("restate"),
    walBytes: (after.wal - before.wal) / calls,
    commits: (after.commits - before.commits) / calls,
    fsyncs: (after.fsyncs - before.fsyncs) / calls,
  };
}

/** Measures the functions apart, because counting them costs time. */
async function measureFunctions(
  cluster: EngineCluster,
  load: LoadGenerator,
  kind: CallKind,
  workload: BudgetWorkload,
): Promise<CallCost["functions"]> {
  const set = async (value: string) => {
    await cluster.query(`alter system set track_functions = '${value}'`);
    await cluster.query("select pg_reload_conf()");
  };
  await set("all");
  await cluster.query("select pg_stat_reset()");
  const calls = await sendCalls(cluster, load, kind, workload);
  await set("none");
  const rows = await cluster.query<{ name: string; ms: number }>(
    "select funcname as name, sum(self_time)::float8 as ms from pg_stat_user_functions group by funcname order by ms desc limit 8",
  );
  return rows.map(({ name, ms }) => ({ name, microseconds: (ms * 1_000) / calls }));
}
