import { setTimeout as sleep } from "node:timers/promises";
import { judgeHistory, type Violation } from "../history/checker.ts";
import type { FreezeRecord, LabHistory } from "../history/history.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabClient } from "../lab-client.ts";
import { LabCluster } from "../lab-cluster.ts";
import { createRandom } from "../random.ts";
import { finishRun } from "../report/finish.ts";
import { computePercentile } from "../report/percentile.ts";
import { ProcessPool } from "../storm/fault-schedule.ts";
import { KillSwitch } from "./kill-switch.ts";
import { FreezeLoad } from "./load.ts";

/**
 * Freezes and thaws subjects while processes are killed. Two API processes and two workers run at half of their maximum
 * load.
 */
export async function runFreeze(options: LabOptions): Promise<LabResult> {
  const times = options.repeats ?? (options.quick ? 3 : 50);
  const startedAt = Date.now();
  const cluster = await LabCluster.start({ engine: options.engine });
  try {
    const pool = await ProcessPool.start(cluster, 2, 2, { HIGH_EXPIRES: "5m" });
    const client = new LabClient(cluster.keys, () => pool.urls());
    const load = new FreezeLoad(client, createRandom(options.seed));
    options.progress("measuring how much can be borne");
    await load.measureMaxRate(1_000);
    const max = await load.measureMaxRate(options.quick ? 3_000 : 15_000);
    const loading = load.run(max / 2);
    const freezes: FreezeRecord[] = [];
    const kills = { api: 0, worker: 0, everything: 0 };
    const chance = createRandom(options.seed + 1);
    const kill = new KillSwitch(client, cluster);
    // The run proves little without a call in flight at a freeze and without a parked call. A short run therefore
    // continues until both have occurred.
    const wasTried = async () => countInFlight(freezes) > 0 && (await fetchParkedCount(cluster)) > 0;
    for (let number = 1; number <= times || (number <= 4 * times && !(await wasTried())); number += 1) {
      await sleep(300 + chance() * 700);
      const laid = await kill.freeze(chance);
      options.progress(`${number}/${times} ${laid.kind} frozen, ${laid.inFlight.length} in flight`);
      await killProcesses(pool, number, kills, chance);
      await sleep(300 + chance() * 700);
      freezes.push(await kill.thaw(laid));
    }
    load.stop();
    await loading;
    options.progress("letting everything come to rest");
    await cluster.waitForRest();
    const meta = { run: "freeze", seed: options.seed, startedAt, minSucceeded: times * 10 };
    const history = await cluster.collectHistory(meta, client.records, { freezes });
    const answers = freezes.map(({ askedAt, answeredAt }) => answeredAt - askedAt);
    const figures = {
      calls: history.ledger.length,
      "most calls/s": Math.round(max),
      "load calls/s": Math.round(max / 2),
      freezes: freezes.length,
      "answered p50 ms": computePercentile(answers, 0.5),
      "answered p99 ms": computePercentile(answers, 0.99),
      "in flight, on the lists": countInFlight(freezes),
      "effects of those after": countLateEffects(history),
      "refused while frozen": client.records.filter(
        (record) => record.kind === "answered" && record.code === "frozen",
      ).length,
      parked: countParked(history),
      "api killed": kills.api,
      "worker killed": kills.worker,
      "everything killed": kills.everything,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    const violations = [...(await judgeHistory(history)), ...findUntested(history)];
    return await finishRun(options, history, violations, figures, [
      `2 API processes, 2 workers, PostgreSQL, ${cluster.engineText}, under half of the measured maximum load.`,
      `Killed while something was frozen: API process ${kills.api}, worker ${kills.worker}, everything at once ${kills.everything}.`,
    ]);
  } finally {
    await cluster.stop();
  }
}

/** Kills an API process and a worker while a subject is frozen. Every tenth time, kills everything. */
async function killProcesses(
  pool: ProcessPool,
  number: number,
  kills: { api: number; worker: number; everything: number },
  chance: () => number,
): Promise<void> {
  if (number % 10 === 2) {
    await pool.killAll();
    kills.everything += 1;
    return;
  }
  for (const victim of ["api", "worker"] as const) {
    await pool.injectFault({ victim }, chance);
    kills[victim] += 1;
  }
}

const countInFlight = (freezes: readonly FreezeRecord[]): number =>
  freezes.reduce((sum, { inFlight }) => sum + inFlight.length, 0);

async function fetchParkedCount(cluster: LabCluster): Promise<number> {
  const [found] = await cluster.query<{ n: number }>(
    "select count(*)::int as n from paraph.event where kind = 'parked'",
  );
  return found!.n;
}

const countParked = ({ ledger }: LabHistory): number =>
  ledger.filter(({ events }) => events.some(({ kind }) => kind === "parked")).length;

/**
 * Counts the effects of listed calls between a freeze and its thaw. A call that began before the freeze may still act,
 * and the freeze lists it.
 */
function countLateEffects({ freezes = [], oracle }: LabHistory): number {
  return freezes.flatMap(({ inFlight, answeredAt, thawAskedAt }) =>
    oracle.filter(({ call, at }) => inFlight.includes(call) && at > answeredAt && at < thawAskedAt),
  ).length;
}

/** Reports a violation if no freeze found a call in flight or if no call was parked. Such a run tests nothing. */
function findUntested(history: LabHistory): Violation[] {
  const quiet = (what: string) => ({ rule: "run", call: "-", what });
  return [
    ...(countInFlight(history.freezes ?? []) === 0 ? [quiet("no freeze found anything in flight")] : []),
    ...(countParked(history) === 0 ? [quiet("no call was parked")] : []),
  ];
}
