import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LabClient } from "../client.ts";
import type { Cluster } from "../cluster.ts";
import type { Point } from "../faults/around.ts";
import { scenario } from "./scenario.ts";

export const victims = ["process", "postgres", "restate"] as const;

/** A place to die, and who dies there. */
export interface CrashPoint extends Point {
  readonly role: "api" | "worker";
  readonly victim: (typeof victims)[number];
}

/** Runs the scenario once with recorders around the ports, and returns every boundary it went through. */
export async function discover(cluster: Cluster): Promise<CrashPoint[]> {
  const folder = join(cluster.folder, "points");
  await mkdir(folder, { recursive: true });
  const files = { api: join(folder, "api"), worker: join(folder, "worker") };
  const api = await cluster.process("api", { PARAPH_POINTS: files.api });
  const worker = await cluster.process("worker", { PARAPH_POINTS: files.worker });
  const client = new LabClient(cluster.keys, () => [api.ready.url]);
  await scenario(client, "discover", touching(cluster));
  await Promise.all([api.end(), worker.end()]);
  const found = await Promise.all(
    (["api", "worker"] as const).map(async (role) =>
      points(await readFile(files[role], "utf8")).map((point) => ({ ...point, role })),
    ),
  );
  return found.flat().flatMap((point) => victims.map((victim) => ({ ...point, victim })));
}

/** Moves a name's basis in the oracle's world, as somebody else would. */
export function touching(cluster: Cluster): (name: string) => Promise<void> {
  return async (name) => {
    await fetch(`${cluster.oracle.ready.url}/touch`, { method: "POST", body: JSON.stringify({ name }) });
  };
}

function points(text: string): Point[] {
  const distinct = new Set(text.split("\n").filter((line) => line !== ""));
  return [...distinct].sort().map((line) => JSON.parse(line) as Point);
}
