import { setTimeout as sleep } from "node:timers/promises";
import { judgeHistory } from "../history/checker.ts";
import { checkClusterReplay } from "../history/replay.ts";
import type { LabEngine, LabOptions, LabResult } from "../lab.ts";
import { LabClient } from "../lab-client.ts";
import { LabCluster } from "../lab-cluster.ts";
import { createRandom } from "../random.ts";
import { formatCounts } from "../report/coverage.ts";
import { finishRun } from "../report/finish.ts";
import { computePercentile } from "../report/percentile.ts";
import { runCanary } from "./canary.ts";
import { drawFault, ProcessPool, type ScheduledFault } from "./fault-schedule.ts";
import { describeLoadRun, generateLoad, loadGrant } from "./load.ts";

/**
 * Runs calls of every kind on two API processes, two workers, PostgreSQL and three nodes of Restate if it is the engine,
 * while these are killed one after another.
 */
export async function runStorm(options: LabOptions): Promise<LabResult> {
  const kills = options.kills ?? (options.quick ? 12 : 300);
  const calls = options.calls ?? (options.quick ? 600 : 20_000);
  const startedAt = Date.now();
  options.progress("starting the engine, PostgreSQL, the oracle, two API processes and two workers");
  const cluster = await LabCluster.start({ engine: options.engine, nodes: 3, hooks: true });
  try {
    await cluster.createGrant(loadGrant);
    const pool = await ProcessPool.start(cluster, 2, 2);
    const client = new LabClient(cluster.keys, () => pool.urls());
    let made = 0;
    const recoveries: { fault: ScheduledFault; ms: number }[] = [];
    const chance = createRandom(options.seed + 1);
    const injecting = injectFaults(pool, client, chance, { kills, engine: options.engine }, (fault, ms) => {
      recoveries.push({ fault, ms });
      options.progress(
        `${recoveries.length}/${kills} faults, ${made}/${calls} calls; ${fault.victim} ${fault.freezeMs === undefined ? "killed" : "frozen"}, recovered in ${ms} ms`,
      );
    });
    const loading = generateLoad(client, {
      calls,
      callers: 16,
      chance: createRandom(options.seed),
      made: (count) => {
        made = Math.min(count, calls);
      },
    });
    await Promise.all([loading, injecting]);
    options.progress("letting everything come to rest");
    await cluster.waitForRest();
    const history = await cluster.collectHistory(
      describeLoadRun("storm", options, { startedAt, minSucceeded: Math.floor(calls * 0.7) }),
      client.records,
    );
    const replay = await checkClusterReplay(cluster);
    const violations = [...(await judgeHistory(history)), ...replay.violations];
    const times = recoveries.map(({ ms }) => ms);
    const faults = recoveries.map(
      ({ fault }) => `${fault.victim} ${fault.freezeMs === undefined ? "killed" : "frozen"}`,
    );
    const figures = {
      calls: history.ledger.length,
      effects: history.oracle.length,
      "calls rebuilt": replay.calls,
      faults: recoveries.length,
      ...countBy(faults),
      "recovery p50 ms": computePercentile(times, 0.5),
      "recovery p99 ms": computePercentile(times, 0.99),
      "repeated attempts": history.ledger
        .flatMap(({ events }) => events)
        .filter(({ kind, data }) => kind === "attempted" && data.as === "lost").length,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    return await finishRun(options, history, violations, figures, [
      `2 API processes, 2 workers, PostgreSQL, ${cluster.engineText}; 16 callers.`,
      ...formatCounts("Faults (frozen: SIGSTOP, then SIGCONT; engine: its data wiped)", faults),
      "Recovery: from a fault to the end of a call that was made at that moment.",
      `${replay.calls} calls rebuilt from their events and compared with their rows.`,
    ]);
  } finally {
    await cluster.stop();
  }
}

/**
 * Injects one fault after another, each at most five seconds after the last. A call made at each fault measures the
 * recovery.
 */
async function injectFaults(
  pool: ProcessPool,
  client: LabClient,
  chance: () => number,
  { kills, engine }: { kills: number; engine: LabEngine },
  onRecovered: (fault: ScheduledFault, ms: number) => void,
): Promise<void> {
  for (let number = 1; number <= kills; number++) {
    const fault = drawFault(chance, engine);
    const began = Date.now();
    const [, closed] = await Promise.all([
      pool.injectFault(fault, chance),
      runCanary(client, `canary${number}`),
    ]);
    onRecovered(fault, closed - began);
    await sleep(chance() * 1_500);
  }
}

function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(Object.groupBy(names, (name) => name)).map(([name, all]) => [name, all?.length ?? 0]),
  );
}
