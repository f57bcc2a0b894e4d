import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CrashInstruction } from "../faults/boundary-faults.ts";
import type { ClientRecord } from "../history/history.ts";
import { LabClient } from "../lab-client.ts";
import type { LabCluster } from "../lab-cluster.ts";
import type { LabProcess } from "../lab-process.ts";
import type { CrashPoint } from "./points.ts";
import type { Script } from "./script.ts";

export interface CrashedPoint {
  readonly point: CrashPoint;
  /** The prefix of the idempotency keys of this point's calls. */
  readonly prefix: string;
  /** Whether the process reached the point. Calls run concurrently, so a rare boundary may not occur. */
  readonly reached: boolean;
  readonly ms: number;
}

/**
 * A sweep over crash points. It arms one process with one point, runs the scenario through the crash to its end, and
 * continues with the next point.
 */
export class Sweep {
  readonly records: ClientRecord[] = [];
  /** The number of points at which this sweep has crashed. */
  count = 0;
  readonly #cluster: LabCluster;
  readonly #script: Script;
  readonly #processes: Record<CrashPoint["role"], LabProcess>;

  private constructor(
    cluster: LabCluster,
    script: Script,
    processes: Record<CrashPoint["role"], LabProcess>,
  ) {
    this.#cluster = cluster;
    this.#script = script;
    this.#processes = processes;
  }

  static async start(cluster: LabCluster, script: Script): Promise<Sweep> {
    const [api, worker] = [
      await startArmed(cluster, script, "api"),
      await startArmed(cluster, script, "worker"),
    ];
    return new Sweep(cluster, script, { api, worker });
  }

  async crashAt(point: CrashPoint, prefix: string): Promise<CrashedPoint> {
    const started = performance.now();
    let reached = false;
    const controller = await listenForReach(async () => {
      reached = true;
      if (point.victim === "postgres") await this.#cluster.restartPostgres();
      else await this.#cluster.restartNode(0);
    });
    const { boundary, when, role, afterMs } = point;
    const victim = point.victim === "process" ? "self" : { controller: controller.url };
    const armed = this.#processes[role];
    await armed.tell({
      stop: { boundary, when, victim, ...(afterMs !== undefined && { afterMs }) } satisfies CrashInstruction,
    });
    let over = false;
    const replaced = armed.gone.then(async () => {
      if (over) return;
      reached = true;
      this.#processes[role] = await startArmed(this.#cluster, this.#script, role);
    });
    const client = new LabClient(this.#cluster.keys, () => [this.#processes.api.ready.url]);
    await this.#script.play(client, prefix);
    await armed.tell({});
    over = true;
    if (armed.child.signalCode !== null || armed.child.exitCode !== null) await replaced;
    this.records.push(...client.records);
    await controller.stop();
    this.count += 1;
    return { point, prefix, reached, ms: Math.round(performance.now() - started) };
  }
}

/** Starts a process that accepts instructions about where to die. */
function startArmed(cluster: LabCluster, { env }: Script, role: CrashPoint["role"]): Promise<LabProcess> {
  // A sweep kills hundreds of processes, so the lease grace is shorter than in a deployment.
  return cluster.startProcess(role, { ...env[role], PARAPH_ARMED: "1", LEASE_GRACE_MS: "1500" });
}

/**
 * Starts the server to which an armed process reports that it reached its point. The process waits for the response.
 */
async function listenForReach(reached: () => Promise<void>): Promise<{ url: string; stop(): Promise<void> }> {
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
