import { setTimeout as sleep } from "node:timers/promises";
import { judgeHistory } from "../history/checker.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabClient } from "../lab-client.ts";
import { LabCluster } from "../lab-cluster.ts";
import { createRandom } from "../random.ts";
import { formatCounts } from "../report/coverage.ts";
import { finishRun } from "../report/finish.ts";
import { ProcessPool } from "../storm/fault-schedule.ts";
import { generateLoad, loadGrant } from "../storm/load.ts";

const hourMs = 3_600_000;
const clockJumpsMs = [hourMs, -hourMs, 30 * 24 * hourMs, -30 * 24 * hourMs];

/**
 * Moves PostgreSQL's clock, which decides all waits, by an hour or a month in both directions while agents request
 * calls of every kind.
 */
export async function runClock(options: LabOptions): Promise<LabResult> {
  const jumps = options.kills ?? (options.quick ? 20 : 200);
  const calls = options.calls ?? (options.quick ? 300 : 3_000);
  const startedAt = Date.now();
  const cluster = await LabCluster.start({ engine: options.engine });
  try {
    await cluster.createGrant(loadGrant);
    const pool = await ProcessPool.start(cluster, 1, 2);
    const client = new LabClient(cluster.keys, () => pool.urls());
    const chance = createRandom(options.seed + 1);
    const made: string[] = [];
    const jumping = (async () => {
      for (let jump = 1; jump <= jumps; jump++) {
        const by = clockJumpsMs[Math.floor(chance() * clockJumpsMs.length)]!;
        options.progress(`${jump}/${jumps} clock jumps: ${by / hourMs} h`);
        await cluster.moveClock(by);
        made.push(`${by / hourMs} h`);
        await sleep(300 + chance() * 900);
        await cluster.moveClock(0);
        await sleep(300 + chance() * 600);
      }
    })();
    const loading = generateLoad(client, {
      calls,
      callers: 12,
      chance: createRandom(options.seed),
      made: () => {},
    });
    const finding = resolveUnknownCalls(
      cluster,
      client,
      Promise.all([loading, jumping]).then(() => cluster.waitForRest()),
    );
    await Promise.all([loading, jumping, finding]);
    const meta = {
      run: "clock",
      seed: options.seed,
      startedAt,
      minSucceeded: Math.floor(calls * 0.4),
      timeless: true,
    };
    const history = await cluster.collectHistory(meta, client.records);
    const figures = {
      calls: history.ledger.length,
      effects: history.oracle.length,
      "clock jumps": jumps,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    return await finishRun(options, history, await judgeHistory(history), figures, [
      `1 API process, 2 workers, PostgreSQL, ${cluster.engineText}; no process was killed.`,
      ...formatCounts("Jumps of the database's clock, each followed by a jump back", made),
      "Times of different witnesses are not compared, because the clock moved.",
    ]);
  } finally {
    await cluster.stop();
  }
}

/**
 * Resolves unknown outcomes, because other calls may wait for their locks. A clock jump of a month expires idempotency
 * keys, so a call with any contract may end as unknown. Such a call keeps its locks until a person resolves it.
 */
async function resolveUnknownCalls(
  cluster: LabCluster,
  client: LabClient,
  end: Promise<void>,
): Promise<void> {
  let isOver = false;
  const over = end.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const call of await cluster.listUnknownHolders())
      await client.act("approver", { kind: "resolve", call, finding: "happened" });
    await Promise.race([over, sleep(250)]);
  }
  await over;
}
