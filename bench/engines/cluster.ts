import { findFreePort } from "@paraph/dev-servers";
import type { LabEngine } from "../../lab/lab.ts";
import {
  type DecisionCluster,
  provisionPrincipals,
  readUrl,
  takeStartedCalls,
} from "../approvals/cluster.ts";
import { startChild } from "../lib/child.ts";
import type { LoadTarget } from "../lib/load.ts";
import { startServers } from "../lib/servers.ts";
import type { TrackStart } from "../lib/with-folder.ts";

/** One API process that performs nothing itself, workers, and the servers of one engine. */
export interface EngineCluster extends DecisionCluster {
  readonly engine: LabEngine;
  readonly workers: number;
  readonly databaseUrl: string;
  /** The process ids of everything that the cluster started. */
  readonly pids: readonly number[];
  /** Stops the Paraph processes. The servers then only idle. */
  stopProcesses(): Promise<void>;
}

export async function startEngineCluster(
  folder: string,
  { engine, workers }: { readonly engine: LabEngine; readonly workers: number },
  starting: TrackStart,
): Promise<EngineCluster> {
  const servers = await startServers(folder, engine, starting);
  const database = await servers.database("paraph", provisionPrincipals);
  // Workers of Restate share the work only if they have the same address.
  const env = { ...database.env, HERE: "0", WORKER_PORT: String(await findFreePort()) };
  const start = (role: "api" | "worker") =>
    starting(startChild(new URL("../approvals/process.ts", import.meta.url), { ...env, ROLE: role }));
  const running = await Promise.all(Array.from({ length: workers }, () => start("worker")));
  const api = await start("api");
  return {
    engine,
    workers,
    apiUrl: readUrl(api),
    restate: servers.restate,
    databaseUrl: database.env.DATABASE_URL ?? "",
    pids: [...[api, ...running].map(({ pid }) => pid), ...Object.values(servers.pids)],
    query: database.query,
    findKey: (principal) => database.provisioned.get(principal) ?? "",
    takeStartedCalls: () => takeStartedCalls(running),
    stopProcesses: async () => void (await Promise.all([api, ...running].map((child) => child.stop()))),
  };
}

/** Creates a load of writes that wait for their outcome. */
export function createWriteTarget(
  { apiUrl, findKey }: EngineCluster,
  capability: "bench.write" | "bench.locked",
): LoadTarget {
  return {
    origin: apiUrl,
    path: "/v1/calls",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${findKey("agent0")}`,
      prefer: "wait=30",
    },
    body: JSON.stringify({ capability, input: { name: "{n}" } }),
    expect: { status: 200, contains: '"outcome":{"kind":"succeeded"' },
  };
}
