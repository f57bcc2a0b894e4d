import type { LabEngine } from "../../lab/lab.ts";
import { type ChildHandle, startChild } from "../lib/child.ts";
import { type Servers, startServers } from "../lib/servers.ts";
import type { TrackStart } from "../lib/with-folder.ts";

/**
 * One of each part of a production setup: durable PostgreSQL, an API process and a worker. With Restate as the engine,
 * it also has Restate and a bare worker of it.
 */
export interface CallCluster {
  readonly apiUrl: string;
  readonly restate: Servers["restate"];
  /** The agent's API key. */
  readonly key: string;
  readonly api: ChildHandle;
  readonly worker: ChildHandle;
  readonly pids: Readonly<Partial<Record<ClusterPart, number>>>;
  query<R = Record<string, unknown>>(text: string): Promise<R[]>;
}

/** The parts that are measured separately. `bare` is the bare worker of Restate. */
export const clusterParts = ["api", "worker", "bare", "postgres", "restate"] as const;
export type ClusterPart = (typeof clusterParts)[number];

export async function startCallCluster(
  folder: string,
  { engine, worker: byWorker }: { readonly engine: LabEngine; readonly worker: boolean },
  starting: TrackStart,
): Promise<CallCluster> {
  const servers = await startServers(folder, engine, starting);
  const database = await servers.database("paraph", async (p) => {
    await p.addTenant("acme");
    await p.addPrincipal({ tenant: "acme", id: "owner", kind: "person" });
    await p.addPrincipal({ tenant: "acme", id: "agent", kind: "agent", owner: "owner" });
    return p.createKey("acme", "agent");
  });

  const env = { ...database.env, ...(byWorker && { HERE: "0" }) };
  const paraph = (role: "api" | "worker") =>
    starting(startChild(new URL("./paraph-process.ts", import.meta.url), { ...env, ROLE: role }));
  const bare = servers.restate
    ? await starting(startChild(new URL("./bare-process.ts", import.meta.url), env))
    : undefined;
  const worker = await paraph("worker");
  const api = await paraph("api");
  return {
    apiUrl: (api.ready as { url: string }).url,
    restate: servers.restate,
    key: database.provisioned,
    api,
    worker,
    pids: { api: api.pid, worker: worker.pid, ...(bare && { bare: bare.pid }), ...servers.pids },
    query: database.query,
  };
}
