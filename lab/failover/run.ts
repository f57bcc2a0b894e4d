import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openTcpProxy, type TcpProxy, toProxyUrl } from "../../test/support/servers/tcp-proxy.ts";
import { type FleetFault, runFaultsUnderLoad } from "../fleet/fault-run.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabCluster } from "../lab-cluster.ts";
import { createRandom } from "../random.ts";
import { ProcessPool } from "../storm/fault-schedule.ts";
import { loadGrant } from "../storm/load.ts";
import { attachStandby, type DatabaseNode, promoteStandby } from "./standby.ts";

/** The ways in which the primary is lost. A primary that is cut off runs until its standby is promoted. */
const losses = ["primary killed", "primary cut off", "primary stopped"] as const;
type Loss = (typeof losses)[number];

/**
 * Runs calls of every kind on two API processes and two workers, while the primary of PostgreSQL is lost and its
 * synchronous standby is promoted, again and again. The processes reach PostgreSQL at one address, which moves.
 */
export async function runFailover(options: LabOptions): Promise<LabResult> {
  const promotions = options.kills ?? (options.quick ? 3 : 20);
  options.progress("starting PostgreSQL with a standby, the oracle, two API processes and two workers");
  const cluster = await LabCluster.start({ engine: options.engine, hooks: true });
  const pair = new DatabasePair(cluster, await openTcpProxy(cluster.postgres.port));
  try {
    await cluster.createGrant(loadGrant);
    await pair.attachStandby();
    const pool = await ProcessPool.start(cluster, 2, 2, { DATABASE_URL: pair.url });
    const chance = createRandom(options.seed + 1);
    const faults = Array.from({ length: promotions }, (_, number) => {
      const fault = pair.createFault(losses[number % losses.length]!, chance() * 3_000);
      return number + 1 < promotions ? { ...fault, prepareNext: () => pair.attachStandby() } : fault;
    });
    return await runFaultsUnderLoad(
      options,
      cluster,
      { urls: pool.urls(), processes: 4 },
      {
        run: "failover",
        faults,
        covers: [
          `2 API processes, 2 workers, PostgreSQL with a synchronous streaming standby, ${cluster.engineText}; 8 callers.`,
          "The standby is promoted up to three seconds after each fault, which ends the fault. A new standby is then built from the new primary.",
        ],
      },
    );
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

  /** Creates the loss of the primary. The promotion of the standby ends it after a time. */
  createFault(loss: Loss, unnoticedMs: number): FleetFault {
    return {
      name: loss,
      begin: () => this.#losePrimary(loss),
      end: async () => {
        await sleep(unnoticedMs);
        await this.#promote();
      },
    };
  }

  async #losePrimary(loss: Loss): Promise<void> {
    const { server } = this.#primary;
    if (loss === "primary killed") await server.kill();
    else if (loss === "primary stopped") await server.stop();
    else this.#proxy.mode = "drop";
  }

  async #promote(): Promise<void> {
    const [old, next] = [this.#primary, this.#standby!];
    await promoteStandby(next);
    this.#primary = next;
    this.#standby = undefined;
    this.#cluster.postgres = next.server;
    this.#proxy.target = next.server.port;
    this.#proxy.mode = "pass";
    // The new primary does not know the connections of the old one, so it resets them.
    this.#proxy.cut();
    await old.server.kill();
  }

  async stop(): Promise<void> {
    await this.#standby?.server.stop();
    await this.#proxy.close();
  }
}
