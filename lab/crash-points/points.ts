import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "@paraph/core";
import type { BoundaryPoint } from "../faults/boundary-faults.ts";
import { LabClient } from "../lab-client.ts";
import type { LabCluster } from "../lab-cluster.ts";
import { effectDigest } from "../process/config.ts";
import { type OutsideControl, playScenario } from "./scenario.ts";
import type { Script } from "./script.ts";

export const victims = ["process", "postgres", "restate"] as const;

/** A boundary at which the lab kills a victim, and that victim. */
export interface CrashPoint extends BoundaryPoint {
  readonly role: "api" | "worker";
  readonly victim: (typeof victims)[number];
  /** The milliseconds between the boundary and the crash. Only a process can be killed with a delay. */
  readonly afterMs?: number;
}

/** Runs the script once with recorders around the ports and returns every boundary that it passed. */
export async function discoverPoints(cluster: LabCluster, { env, play }: Script): Promise<CrashPoint[]> {
  const folder = join(cluster.folder, "points");
  await mkdir(folder, { recursive: true });
  const files = { api: join(folder, "api"), worker: join(folder, "worker") };
  const api = await cluster.startProcess("api", { ...env.api, PARAPH_POINTS: files.api });
  const worker = await cluster.startProcess("worker", { ...env.worker, PARAPH_POINTS: files.worker });
  const client = new LabClient(cluster.keys, () => [api.ready.url]);
  await play(client, "discover");
  await Promise.all([api.end(), worker.end()]);
  const found = await Promise.all(
    (["api", "worker"] as const).map(async (role) =>
      parsePoints(await readFile(files[role], "utf8")).map((point) => ({ ...point, role })),
    ),
  );
  const possible = victims.filter((victim) => victim !== "restate" || cluster.nodes.length > 0);
  return found.flat().flatMap((point) => possible.map((victim) => ({ ...point, victim })));
}

/**
 * Creates a script with one call of every kind during a deployment. The worker has the next contract of one capability,
 * and it polls for observations.
 */
export function createFullScript(cluster: LabCluster): Script {
  return {
    env: { api: {}, worker: { RENEWED: "renewed.keyed", OBSERVE: "1" } },
    play: (client, prefix) => playScenario(client, prefix, createOutsideControl(cluster)),
  };
}

/**
 * Creates the control that acts on the oracle and the database rows directly. It works even while a Paraph process is
 * dead.
 */
function createOutsideControl(cluster: LabCluster): OutsideControl {
  const tell = async (verb: string, name: string) =>
    void (await fetch(`${cluster.oracle.ready.url}/${verb}`, {
      method: "POST",
      body: JSON.stringify({ name }),
    }));
  return {
    touch: (name) => tell("touch", name),
    clear: (name) => tell("clear", name),
    perform: (call, name) => performAtOracle(cluster.oracle.ready.url, call, name),
    freeze: (id, capability) =>
      retryUntilDone(() =>
        cluster.query("select paraph.freeze('acme', $1, 'capability', $2, 'owner')", [id, capability]),
      ),
    thaw: (id) =>
      retryUntilDone(() =>
        cluster.query("select paraph.thaw('acme', $1, 'owner'), paraph.wake_thawed('acme', '', 1000)", [id]),
      ),
  };
}

async function performAtOracle(oracle: string, call: string, name: string): Promise<void> {
  const post = (path: string, body: object) =>
    fetch(`${oracle}/${path}`, { method: "POST", body: JSON.stringify(body) });
  const { basis } = (await (await post("preview", { name })).json()) as { basis: Json };
  await post("apply/none", { call, key: call, name, basis, digest: effectDigest(name, basis) });
}

/** Repeats the body until it succeeds, because PostgreSQL may be the victim of the crash. */
async function retryUntilDone(body: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await body();
      return;
    } catch {
      await sleep(100);
    }
  }
}

function parsePoints(text: string): BoundaryPoint[] {
  const distinct = new Set(text.split("\n").filter((line) => line !== ""));
  return [...distinct].sort().map((line) => JSON.parse(line) as BoundaryPoint);
}
