import { setTimeout as sleep } from "node:timers/promises";
import { LabClient } from "../client.ts";
import { Cluster } from "../cluster.ts";
import { judge } from "../history/checker.ts";
import { replayed } from "../history/replayed.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { seeded } from "../random.ts";
import { statement } from "../report/coverage.ts";
import { finish } from "../report/finish.ts";
import { percentile } from "../report/percentile.ts";
import { type Blow, Crew, nextBlow } from "./blows.ts";
import { load, loadGrant } from "./load.ts";

/** Three nodes, two API processes, two workers, PostgreSQL; calls of every kind while one thing after another is killed. */
export async function storm(options: LabOptions): Promise<LabResult> {
  const kills = options.kills ?? (options.quick ? 12 : 300);
  const calls = options.calls ?? (options.quick ? 600 : 20_000);
  const startedAt = Date.now();
  options.progress("starting three engine nodes, PostgreSQL, the oracle, two API processes and two workers");
  const cluster = await Cluster.start({ nodes: 3, hooks: true });
  try {
    await cluster.grant(loadGrant);
    const crew = await Crew.of(cluster, 2, 2);
    const client = new LabClient(cluster.keys, () => crew.urls());
    let made = 0;
    const recoveries: { blow: Blow; ms: number }[] = [];
    const blows = strikeOn(crew, client, seeded(options.seed + 1), kills, (blow, ms) => {
      recoveries.push({ blow, ms });
      options.progress(
        `${recoveries.length}/${kills} blows, ${made}/${calls} calls; ${blow.victim} ${blow.freezeMs === undefined ? "killed" : "frozen"}, recovered in ${ms} ms`,
      );
    });
    const loading = load(client, {
      calls,
      callers: 16,
      chance: seeded(options.seed),
      made: (count) => {
        made = Math.min(count, calls);
      },
    });
    await Promise.all([loading, blows]);
    options.progress("letting everything come to rest");
    await cluster.atRest();
    const history = await cluster.history(
      {
        run: "storm",
        seed: options.seed,
        startedAt,
        leastSucceeded: Math.floor(calls * 0.7),
        granted: { [loadGrant.id]: { count: loadGrant.countLeft } },
      },
      client.records,
    );
    const replay = await replayed(cluster);
    const violations = [...(await judge(history)), ...replay.violations];
    const times = recoveries.map(({ ms }) => ms);
    const faults = recoveries.map(
      ({ blow }) => `${blow.victim} ${blow.freezeMs === undefined ? "killed" : "frozen"}`,
    );
    const figures = {
      calls: history.ledger.length,
      effects: history.oracle.length,
      "calls rebuilt": replay.calls,
      blows: recoveries.length,
      ...countBy(faults),
      "recovery p50 ms": percentile(times, 0.5),
      "recovery p99 ms": percentile(times, 0.99),
      "repeated attempts": history.ledger
        .flatMap(({ events }) => events)
        .filter(({ kind, data }) => kind === "attempted" && data.as === "lost").length,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    return await finish(options, history, violations, figures, [
      `${cluster.nodes.length} engine nodes, 2 API processes, 2 workers, PostgreSQL; 16 callers.`,
      ...statement("Faults (frozen: SIGSTOP, then SIGCONT; engine: its data wiped)", faults),
      "Recovery: from a fault to the end of a call that was made at that moment.",
      `${replay.calls} calls rebuilt from their events and compared with their rows.`,
    ]);
  } finally {
    await cluster.stop();
  }
}

/** One blow after another, each at most five seconds after the last; a call made at the moment of the blow measures the recovery. */
async function strikeOn(
  crew: Crew,
  client: LabClient,
  chance: () => number,
  kills: number,
  struck: (blow: Blow, ms: number) => void,
): Promise<void> {
  for (let number = 1; number <= kills; number++) {
    const blow = nextBlow(chance);
    const began = Date.now();
    const [, closed] = await Promise.all([crew.strike(blow, chance), canary(client, `canary${number}`)]);
    struck(blow, closed - began);
    await sleep(chance() * 1_500);
  }
}

async function canary(client: LabClient, key: string): Promise<number> {
  const { call } = await client.call(key, "free.keyed", { name: key });
  while ((await client.look(key, "free.keyed", call ?? "", 5)).state !== "closed");
  return Date.now();
}

function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(Object.groupBy(names, (name) => name)).map(([name, all]) => [name, all?.length ?? 0]),
  );
}
