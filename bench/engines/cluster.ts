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
import { type Servers, startServers } from "../lib/servers.ts";
import type { TrackStart } from "../lib/with-folder.ts";

/** One API process, workers, and the servers of one engine. */
export interface EngineCluster extends DecisionCluster {
  readonly engine: LabEngine;
  readonly workers: number;
  readonly databaseUrl: string;
  /** The process ids of everything that the cluster started. */
  readonly pids: readonly number[];
  readonly pidsByPart: {
    readonly api: readonly number[];
    readonly worker: readonly number[];
  } & Servers["pids"];
  /** Stops the Paraph processes. The servers then only idle. */
  stopProcesses(): Promise<void>;
}

export interface EngineClusterOptions {
  readonly engine: LabEngine;
  readonly workers: number;
  /** Whether the API process performs calls that need not wait (default: only workers perform calls). */
  readonly inline?: boolean;
}

export async function startEngineCluster(
  folder: string,
  { engine, workers, inline = false }: EngineClusterOptions,
  starting: TrackStart,
): Promise<EngineCluster> {
  const servers = await startServers(folder, engine, starting);
  const database = await servers.database("paraph", provisionPrincipals);
  // Workers of Restate share the work only if they have the same address.
  const env = { ...database.env, ...(!inline && { HERE: "0" }), WORKER_PORT: String(await findFreePort()) };
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
    pidsByPart: { api: [api.pid], worker: running.map(({ pid }) => pid), ...servers.pids },
    query: database.query,
    findKey: (principal) => database.provisioned.get(principal) ?? "",
    takeStartedCalls: () => takeStartedCalls([api, ...running]),
    stopProcesses: async () => void (await Promise.all([api, ...running].map((child) => child.stop()))),
  };
}

/** Creates a load of calls that wait for their outcome. */
export function createCallTarget(
  { apiUrl, findKey }: EngineCluster,
  capability: "bench.read" | "bench.write" | "bench.locked",
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
