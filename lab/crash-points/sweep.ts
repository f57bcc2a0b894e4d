import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LabClient } from "../client.ts";
import type { Cluster } from "../cluster.ts";
import type { Stop } from "../faults/around.ts";
import type { ClientRecord } from "../history/history.ts";
import type { Running } from "../processes.ts";
import type { CrashPoint } from "./points.ts";
import type { Script } from "./script.ts";

export interface Struck {
  readonly point: CrashPoint;
  /** The keys of this point's calls begin with it. */
  readonly prefix: string;
  /** Whether the process got to the point: with calls side by side, a rare boundary may not come up. */
  readonly reached: boolean;
  readonly ms: number;
}

/** Arms one process with one point, runs the scenario through the crash and to its end, and goes on to the next. */
export class Sweep {
  readonly records: ClientRecord[] = [];
  readonly #cluster: Cluster;
  readonly #script: Script;
  readonly #processes: Record<CrashPoint["role"], Running>;

  private constructor(cluster: Cluster, script: Script, processes: Record<CrashPoint["role"], Running>) {
    this.#cluster = cluster;
    this.#script = script;
    this.#processes = processes;
  }

  static async over(cluster: Cluster, script: Script): Promise<Sweep> {
    const [api, worker] = [await start(cluster, script, "api"), await start(cluster, script, "worker")];
    return new Sweep(cluster, script, { api, worker });
  }

  async strike(point: CrashPoint, prefix: string): Promise<Struck> {
    const started = performance.now();
    let reached = false;
    const controller = await listen(async () => {
      reached = true;
      if (point.victim === "postgres") await this.#cluster.restartPostgres();
      else await this.#cluster.restartNode(0);
    });
    const { boundary, when, role, afterMs } = point;
    const victim = point.victim === "process" ? "self" : { controller: controller.url };
    const armed = this.#processes[role];
    await armed.tell({
      stop: { boundary, when, victim, ...(afterMs !== undefined && { afterMs }) } satisfies Stop,
    });
    let over = false;
    const replaced = armed.gone.then(async () => {
      if (over) return;
      reached = true;
      this.#processes[role] = await start(this.#cluster, this.#script, role);
    });
    const client = new LabClient(this.#cluster.keys, () => [this.#processes.api.ready.url]);
    await this.#script.play(client, prefix);
    await armed.tell({});
    over = true;
    if (armed.child.signalCode !== null || armed.child.exitCode !== null) await replaced;
    this.records.push(...client.records);
    await controller.stop();
    return { point, prefix, reached, ms: Math.round(performance.now() - started) };
  }
}

/** Ready to be told where to die. */
function start(cluster: Cluster, { env }: Script, role: CrashPoint["role"]): Promise<Running> {
  // A sweep kills hundreds of processes: each death is noticed sooner than in a deployment.
  return cluster.process(role, { ...env[role], PARAPH_ARMED: "1", LEASE_GRACE_MS: "1500" });
}

/** Where an armed process says that it is there, and waits. */
async function listen(reached: () => Promise<void>): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (_, response) => {
    await reached();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
