import { setTimeout as sleep } from "node:timers/promises";
import { judgeHistory } from "../history/checker.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabClient } from "../lab-client.ts";
import { LabCluster } from "../lab-cluster.ts";
import { createRandom } from "../random.ts";
import { finishRun } from "../report/finish.ts";
import { ProcessPool } from "../storm/fault-schedule.ts";
import { checkLimits, computePeak, type LimitBounds } from "./check-limits.ts";
import { spendLimits } from "./load.ts";

/** Runs more calls than the limits and a grant allow, while API processes and workers are killed. */
export async function runLimits(options: LabOptions): Promise<LabResult> {
  const calls = options.calls ?? (options.quick ? 700 : 5_000);
  const bounds: LimitBounds = {
    calls: Math.floor(calls * 0.35),
    // With more money, the limit of calls ends one run of five hundred before 90 % of the money is spent.
    money: Math.floor(calls * 9.5),
    concurrency: 6,
    grants: Math.floor(calls * 0.12),
    granted: calls * 5,
  };
  const startedAt = Date.now();
  const cluster = await LabCluster.start({ engine: options.engine });
  try {
    const grant = {
      id: "grant_limits",
      capability: "asked.keyed",
      bounds: { name: { startsWith: "granted-" } },
    };
    await cluster.createGrant({ ...grant, countLeft: bounds.grants, amountLeft: bounds.granted });
    const pool = await ProcessPool.start(cluster, 2, 2, { LIMITS: JSON.stringify(buildLimitRules(bounds)) });
    const client = new LabClient(cluster.keys, () => pool.urls());
    let wanting = true;
    const chance = createRandom(options.seed + 1);
    const kills = { api: 0, worker: 0 };
    const [made] = await Promise.all([
      spendLimits(
        client,
        calls,
        createRandom(options.seed),
        (number) => {
          if (number % 100 === 0)
            options.progress(`${number}/${calls} calls, ${kills.api + kills.worker} kills`);
        },
        async () => (await countCostlyCalls(cluster)) >= bounds.calls,
      ).finally(() => {
        wanting = false;
      }),
      (async () => {
        for (let number = 0; wanting; number += 1) {
          await sleep(chance() * 1_000);
          const victim = number % 2 === 0 ? "worker" : "api";
          await pool.injectFault({ victim }, chance);
          kills[victim] += 1;
        }
      })(),
    ]);
    options.progress("letting everything come to rest");
    await cluster.waitForRest();
    const meta = {
      run: "limits",
      seed: options.seed,
      startedAt,
      minSucceeded: Math.floor(calls * 0.2),
      bounds,
      granted: { [grant.id]: { count: bounds.grants, amount: bounds.granted } },
    };
    const history = await cluster.collectHistory(meta, client.records);
    const figures = {
      "calls wanted": made.wanted,
      "calls made": history.ledger.length,
      callers: 64,
      "refused, nothing taken": made.refused,
      "most at once": `${computePeak(history)} of ${bounds.concurrency}`,
      "api killed": kills.api,
      "worker killed": kills.worker,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    const violations = [...(await judgeHistory(history)), ...checkLimits(history, bounds)];
    return await finishRun(options, history, violations, figures, [
      `2 API processes, 2 workers, PostgreSQL, ${cluster.engineText}; 64 callers.`,
      `Limits: ${bounds.calls} calls, ${bounds.money} units of money, ${bounds.concurrency} at once. A grant: ${bounds.grants} uses, ${bounds.granted} units of money.`,
      `Killed with SIGKILL: API process ${kills.api}, worker ${kills.worker}.`,
    ]);
  } finally {
    await cluster.stop();
  }
}

async function countCostlyCalls(cluster: LabCluster): Promise<number> {
  const text = "select count(*)::int as n from paraph.call where capability like 'costly.%'";
  const [found] = await cluster.query<{ n: number }>(text);
  return found!.n;
}

/** Returns one limit of each kind. The window is long, so that no window ends during a run. */
function buildLimitRules({ calls, money, concurrency }: LimitBounds): object[] {
  const costly = { per: "tenant", capability: "costly.*", window: "30d" };
  return [
    { ...costly, name: "calls", calls },
    { ...costly, capability: "costly.keyed", name: "money", money },
    { ...costly, name: "places", concurrency },
  ];
}
