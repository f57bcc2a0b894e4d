import { setTimeout as sleep } from "node:timers/promises";
import { judgeHistory, type Violation } from "../history/checker.ts";
import type { LabHistory } from "../history/history.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabClient } from "../lab-client.ts";
import { LabCluster } from "../lab-cluster.ts";
import { createRandom } from "../random.ts";
import { finishRun } from "../report/finish.ts";
import { ProcessPool } from "../storm/fault-schedule.ts";

/** Runs two hundred calls that need the same lock key, first without faults, then while workers are killed. */
export async function runLocks(options: LabOptions): Promise<LabResult> {
  const calls = options.calls ?? (options.quick ? 60 : 200);
  const startedAt = Date.now();
  const cluster = await LabCluster.start({ engine: options.engine });
  try {
    const pool = await ProcessPool.start(cluster, 1, 2);
    const client = new LabClient(cluster.keys, () => pool.urls());
    await contend(client, "warm", 20);
    options.progress(`${calls} calls on one key, without kills`);
    const undisturbed = await contend(client, "undisturbed", calls);
    options.progress(`${calls} calls on one key, workers killed`);
    let contending = true;
    const chance = createRandom(options.seed);
    let killed = 0;
    const [disturbed] = await Promise.all([
      contend(client, "disturbed", calls).finally(() => {
        contending = false;
      }),
      (async () => {
        for (let kills = 0; contending && kills < 5; kills++) {
          await sleep(300 + chance() * 500);
          await pool.injectFault({ victim: "worker" }, chance);
          killed += 1;
        }
      })(),
    ]);
    const history = await cluster.collectHistory(
      { run: "locks", seed: options.seed, startedAt, minSucceeded: 2 * calls },
      client.records,
    );
    const violations = [...(await judgeHistory(history)), ...findOutOfOrder(history)];
    const result = await finishRun(
      options,
      history,
      violations,
      {
        calls: history.ledger.length,
        "calls/s without kills": undisturbed.perSecond,
        "calls/s with kills": disturbed.perSecond,
        queued: history.ledger.filter(({ events }) => events.some(({ kind }) => kind === "queued")).length,
      },
      [
        `1 API process, 2 workers, PostgreSQL, ${cluster.engineText}.`,
        `${calls} calls that want the same lock without faults, then ${calls} while ${killed} workers are killed with SIGKILL.`,
        "Calls that queued for a lock get it in the order in which they queued.",
      ],
    );
    return {
      ...result,
      targets: [
        {
          what: "calls on one key without faults",
          aim: "≥ 100/s",
          measured: `${undisturbed.perSecond}/s`,
          met: undisturbed.perSecond >= 100,
        },
      ],
    };
  } finally {
    await cluster.stop();
  }
}

async function contend(client: LabClient, lock: string, calls: number): Promise<{ perSecond: number }> {
  const began = performance.now();
  await Promise.all(
    Array.from({ length: calls }, async (_, number) => {
      const key = `${lock}${number}`;
      let view = await client.call(key, "free.keyed", { name: key, lock }, { wait: 20 });
      while (view.state !== "closed") view = await client.getCall(key, "free.keyed", view.call ?? "", 20);
    }),
  );
  return { perSecond: Math.round((calls * 1_000) / (performance.now() - began)) };
}

/** Checks that calls hold the key in the order of their queue positions. */
function findOutOfOrder({ ledger }: LabHistory): Violation[] {
  const queued = ledger.flatMap((call) => {
    const place = call.events.find(({ kind }) => kind === "queued")?.data.position;
    const at = call.events.findLast(({ kind }) => kind === "locked")?.at;
    return typeof place === "number" && at !== undefined
      ? [{ call: call.call, key: call.lockKeys[0] ?? "", place, at }]
      : [];
  });
  return [...Map.groupBy(queued, ({ key }) => key).values()].flatMap((sharing) => {
    const inOrder = sharing.toSorted((a, b) => a.place - b.place);
    return inOrder.flatMap((each, index) => {
      const next = inOrder[index + 1];
      return next && next.at < each.at
        ? [{ rule: "locks", call: next.call, what: `overtook ${each.call}, which had queued before it` }]
        : [];
    });
  });
}
