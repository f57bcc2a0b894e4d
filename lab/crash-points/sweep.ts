import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LabClient } from "../client.ts";
import type { Cluster } from "../cluster.ts";
import type { ClientRecord } from "../history/history.ts";
import type { Running } from "../processes.ts";
import { around, type CrashPoint } from "./points.ts";
import { scenario } from "./scenario.ts";

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
  #processes: Record<CrashPoint["role"], Running>;

  private constructor(cluster: Cluster, processes: Record<CrashPoint["role"], Running>) {
    this.#cluster = cluster;
    this.#processes = processes;
  }

  static async over(cluster: Cluster): Promise<Sweep> {
    return new Sweep(cluster, { api: await cluster.process("api"), worker: await cluster.process("worker") });
  }

  async strike(point: CrashPoint, prefix: string): Promise<Struck> {
    const started = performance.now();
    let reached = false;
    const controller = await listen(async () => {
      reached = true;
      if (point.victim === "postgres") await this.#cluster.restartPostgres();
      else await this.#cluster.restartNode(0);
    });
    const { boundary, when, role } = point;
    const victim = point.victim === "process" ? "self" : { controller: controller.url };
    await this.#processes[role].end();
    const armed = await this.#cluster.process(role, {
      PARAPH_FAULT: JSON.stringify({ boundary, when, skip: 0, victim }),
    });
    this.#processes = { ...this.#processes, [role]: armed };
    let over = false;
    const replaced = armed.gone.then(async () => {
      if (over) return;
      reached = true;
      this.#processes = { ...this.#processes, [role]: await this.#cluster.process(role) };
    });
    const client = new LabClient(this.#cluster.keys, () => [this.#processes.api.ready.url]);
    await scenario(client, prefix, around(this.#cluster));
    over = true;
    if (armed.child.signalCode !== null || armed.child.exitCode !== null) await replaced;
    this.records.push(...client.records);
    await controller.stop();
    return { point, prefix, reached, ms: Math.round(performance.now() - started) };
  }
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
