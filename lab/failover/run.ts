import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openTcpProxy, type TcpProxy, toProxyUrl } from "../../test/support/servers/tcp-proxy.ts";
import { judgeHistory } from "../history/checker.ts";
import { checkClusterReplay } from "../history/replay.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabClient } from "../lab-client.ts";
import { LabCluster } from "../lab-cluster.ts";
import { createRandom } from "../random.ts";
import { formatCounts } from "../report/coverage.ts";
import { finishRun } from "../report/finish.ts";
import { computePercentile } from "../report/percentile.ts";
import { ProcessPool } from "../storm/fault-schedule.ts";
import { generateLoad, loadGrant } from "../storm/load.ts";
import { findFalseDeaths, findFalseUnknowns, findSlowRecoveries, ServiceProbe } from "./service.ts";
import { attachStandby, type DatabaseNode, promoteStandby } from "./standby.ts";

/** The ways in which the primary is lost. A primary that is cut off runs until its standby is promoted. */
const losses = ["primary killed", "primary cut off", "primary stopped"] as const;
type Loss = (typeof losses)[number];

interface Recovery {
  readonly fault: Loss;
  /** The time from the loss of the primary until every process serves again. */
  readonly outageMs: number;
  /** The time from the move of the address to the new primary until every process serves again. */
  readonly ms: number;
  readonly last: string;
}

/**
 * Runs calls of every kind on two API processes and two workers, while the primary of PostgreSQL is lost and its
 * synchronous standby is promoted, again and again. The processes reach PostgreSQL at one address, which moves.
 */
export async function runFailover(options: LabOptions): Promise<LabResult> {
  const promotions = options.kills ?? (options.quick ? 3 : 20);
  const startedAt = Date.now();
  options.progress("starting PostgreSQL with a standby, the oracle, two API processes and two workers");
  const cluster = await LabCluster.start({ engine: options.engine, hooks: true });
  const pair = new DatabasePair(cluster, await openTcpProxy(cluster.postgres.port));
  try {
    await cluster.createGrant(loadGrant);
    await pair.attachStandby();
    const pool = await ProcessPool.start(cluster, 2, 2, { DATABASE_URL: pair.url });
    const client = new LabClient(cluster.keys, () => pool.urls());
    const probe = new ServiceProbe(cluster, pool.urls(), 4);
    const chance = createRandom(options.seed + 1);
    const recoveries: Recovery[] = [];
    let isOver = false;
    let made = 0;
    const promoting = (async () => {
      for (let number = 0; number < promotions; number++) {
        await sleep(500 + chance() * 1_500);
        const recovery = await pair.failOver(losses[number % losses.length]!, chance() * 3_000, probe);
        recoveries.push(recovery);
        options.progress(
          `${recoveries.length}/${promotions} promotions, ${made} calls; ${recovery.fault}, all served ${recovery.ms} ms after the promotion, last ${recovery.last}`,
        );
        if (number + 1 < promotions) await pair.attachStandby();
      }
    })().finally(() => {
      isOver = true;
    });
    const loading = generateLoad(client, {
      calls: options.calls ?? Number.POSITIVE_INFINITY,
      callers: 8,
      chance: createRandom(options.seed),
      made: (count) => {
        made = count;
      },
      isOver: () => isOver,
    });
    await Promise.all([promoting, loading]);
    options.progress("letting everything come to rest");
    await cluster.waitForRest();
    const falseDeaths = await findFalseDeaths(cluster);
    const history = await cluster.collectHistory(
      {
        run: "failover",
        seed: options.seed,
        startedAt,
        minSucceeded: Math.floor(made * 0.7),
        granted: { [loadGrant.id]: { count: loadGrant.countLeft } },
      },
      [...client.records, ...probe.records],
    );
    const replay = await checkClusterReplay(cluster);
    const violations = [
      ...(await judgeHistory(history)),
      ...replay.violations,
      ...falseDeaths,
      ...findFalseUnknowns(history),
      ...findSlowRecoveries(recoveries),
    ];
    const served = recoveries.map(({ ms }) => ms);
    const outages = recoveries.map(({ outageMs }) => outageMs);
    const figures = {
      calls: history.ledger.length,
      effects: history.oracle.length,
      "calls rebuilt": replay.calls,
      promotions: recoveries.length,
      "served again p50 ms": computePercentile(served, 0.5),
      "served again p99 ms": computePercentile(served, 0.99),
      "outage p50 ms": computePercentile(outages, 0.5),
      "outage p99 ms": computePercentile(outages, 0.99),
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    return await finishRun(options, history, violations, figures, [
      `2 API processes, 2 workers, PostgreSQL with a synchronous streaming standby, ${cluster.engineText}; 8 callers.`,
      ...formatCounts(
        "Promotions of the standby",
        recoveries.map(({ fault }) => fault),
      ),
      "The standby is promoted up to three seconds after the loss. A new standby is then built from the new primary.",
      "Served again: from the promotion until calls through every API process have ended and every process holds its lease.",
      "Outage: from the loss of the primary until the same moment.",
      `${replay.calls} calls rebuilt from their events and compared with their rows.`,
    ]);
  } finally {
    await Promise.all([cluster.stop(), pair.stop()]);
  }
}

/** The primary and the standby of a cluster, and the address that always leads to the primary. */
class DatabasePair {
  readonly #cluster: LabCluster;
  readonly #proxy: TcpProxy;
  #primary: DatabaseNode;
  #standby: DatabaseNode | undefined;
  #built = 0;

  constructor(cluster: LabCluster, proxy: TcpProxy) {
    this.#cluster = cluster;
    this.#proxy = proxy;
    this.#primary = { folder: join(cluster.folder, "postgres"), server: cluster.postgres };
  }

  /** The connection URL for the Paraph processes. */
  get url(): string {
    return toProxyUrl(this.#cluster.loginUrl, this.#proxy);
  }

  async attachStandby(): Promise<void> {
    const folder = join(this.#cluster.folder, `standby${++this.#built}`);
    this.#standby = await attachStandby(this.#primary, folder);
  }

  /** Loses the primary, promotes the standby after a time, and moves the address to it. */
  async failOver(fault: Loss, unnoticedMs: number, probe: ServiceProbe): Promise<Recovery> {
    const [old, next] = [this.#primary, this.#standby!];
    const lostAt = Date.now();
    if (fault === "primary killed") await old.server.kill();
    else if (fault === "primary stopped") await old.server.stop();
    else this.#proxy.mode = "drop";
    const moved = sleep(unnoticedMs).then(async () => {
      await promoteStandby(next);
      this.#primary = next;
      this.#standby = undefined;
      this.#cluster.postgres = next.server;
      this.#proxy.target = next.server.port;
      this.#proxy.mode = "pass";
      // The new primary does not know the connections of the old one, so it resets them.
      this.#proxy.cut();
      return Date.now();
    });
    const [movedAt, { at: servedAt, last }] = await Promise.all([moved, probe.waitUntilServed(moved)]);
    if (fault === "primary cut off") await old.server.kill();
    return { fault, outageMs: servedAt - lostAt, ms: servedAt - movedAt, last };
  }

  async stop(): Promise<void> {
    await this.#standby?.server.stop();
    await this.#proxy.close();
  }
}
