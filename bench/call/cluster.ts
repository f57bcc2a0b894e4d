import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { migrate, provision } from "../../packages/server/src/postgres/index.ts";
import { startPostgres, startRestate } from "../../packages/server/src/servers/index.ts";
import { type Child, startChild } from "../lib/child.ts";
import type { Starting } from "../lib/scope.ts";

/** One of everything that production has: PostgreSQL that syncs, Restate, an API process, a worker, beside them a bare worker. */
export interface Cluster {
  readonly apiUrl: string;
  readonly ingressUrl: string;
  readonly adminUrl: string;
  /** The agent's API key. */
  readonly key: string;
  readonly api: Child;
  readonly worker: Child;
  readonly pids: Readonly<Record<Part, number>>;
  query<R = Record<string, unknown>>(text: string): Promise<R[]>;
}

/** What is measured by itself. `bare` is the bare engine's worker. */
export const parts = ["api", "worker", "bare", "postgres", "restate"] as const;
export type Part = (typeof parts)[number];

export async function startCluster(folder: string, engine: boolean, starting: Starting): Promise<Cluster> {
  await mkdir(folder, { recursive: true });
  const [postgres, restate] = await Promise.all([
    starting(startPostgres({ folder, durable: true })),
    starting(startRestate({ folder })),
  ]);
  const { databaseUrl, ownerUrl, key } = await prepared(postgres.url);
  const owner = await starting(connected(ownerUrl));

  const env = {
    DATABASE_URL: databaseUrl,
    RESTATE_INGRESS_URL: restate.ingressUrl,
    RESTATE_ADMIN_URL: restate.adminUrl,
    RESTATE_PUBLIC_KEY: restate.publicKey,
    SIGNING_KEY: join(folder, "signing.pem"),
    ...(engine && { HERE: "0" }),
  };
  const paraph = (role: "api" | "worker") =>
    starting(startChild(new URL("./paraph-process.ts", import.meta.url), { ...env, ROLE: role }));
  const bare = await starting(startChild(new URL("./bare-process.ts", import.meta.url), env));
  const worker = await paraph("worker");
  const api = await paraph("api");
  return {
    apiUrl: (api.ready as { url: string }).url,
    ingressUrl: restate.ingressUrl,
    adminUrl: restate.adminUrl,
    key,
    api,
    worker,
    pids: { api: api.pid, worker: worker.pid, bare: bare.pid, postgres: postgres.pid, restate: restate.pid },
    query: async <R>(text: string) => (await owner.query(text)) as R[],
  };
}

async function connected(url: string) {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return { stop: () => client.end(), query: async (text: string) => (await client.query(text)).rows };
}

/** A migrated database with one person, her agent and the agent's key. */
async function prepared(serverUrl: string): Promise<{ databaseUrl: string; ownerUrl: string; key: string }> {
  const server = new Client({ connectionString: serverUrl });
  await server.connect();
  await server.query("create database paraph");
  await server.end();
  const ownerUrl = serverUrl.replace(/\/postgres$/, "/paraph");
  await migrate(ownerUrl);
  const key = await provision(ownerUrl, async (p) => {
    await p.login("paraph", "paraph");
    await p.tenant("acme");
    await p.principal({ tenant: "acme", id: "owner", kind: "person" });
    await p.principal({ tenant: "acme", id: "agent", kind: "agent", owner: "owner" });
    return p.key("acme", "agent");
  });
  const login = new URL(ownerUrl);
  login.username = "paraph";
  login.password = "paraph";
  return { databaseUrl: login.href, ownerUrl, key };
}
