import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres, startRestate } from "@paraph/dev-servers";
import { Client } from "pg";
import type { LabEngine } from "../../lab/lab.ts";
import { migrateDatabase, type Provisioner, provision } from "../../packages/server/src/postgres/index.ts";
import type { TrackStart } from "./with-folder.ts";

/** The stateful servers as in production: durable PostgreSQL, and Restate if it is the engine. */
export interface Servers {
  readonly restate: RestateUrls | undefined;
  readonly pids: { readonly postgres: number; readonly restate?: number };
  /** Creates and migrates a database, which `body` fills before any process uses it. */
  database<T>(name: string, body: (provisioner: Provisioner) => Promise<T>): Promise<BenchDatabase<T>>;
}

export interface RestateUrls {
  readonly ingressUrl: string;
  readonly adminUrl: string;
}

export interface BenchDatabase<T> {
  readonly provisioned: T;
  /** The environment of a Paraph process for these servers. */
  readonly env: Readonly<Record<string, string>>;
  /** Queries the database as its owner. */
  query<R = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

export async function startServers(
  folder: string,
  engine: LabEngine,
  starting: TrackStart,
): Promise<Servers> {
  await mkdir(folder, { recursive: true });
  const [postgres, restate] = await Promise.all([
    starting(startPostgres({ folder, durable: true })),
    engine === "restate" ? starting(startRestate({ folder })) : undefined,
  ]);
  return {
    restate,
    pids: { postgres: postgres.pid, ...(restate && { restate: restate.pid }) },
    async database(name, body) {
      const ownerUrl = await createDatabase(postgres.url, name);
      await migrateDatabase(ownerUrl);
      const provisioned = await provision(ownerUrl, async (p) => {
        await p.createLogin("paraph", "paraph");
        return body(p);
      });
      const owner = await starting(connectClient(ownerUrl));
      const login = new URL(ownerUrl);
      login.username = login.password = "paraph";
      return {
        provisioned,
        env: {
          DATABASE_URL: login.href,
          ...(restate && {
            RESTATE_INGRESS_URL: restate.ingressUrl,
            RESTATE_ADMIN_URL: restate.adminUrl,
            RESTATE_PUBLIC_KEY: restate.publicKey,
          }),
          SIGNING_KEY: join(folder, "signing.pem"),
        },
        query: async <R>(text: string, values?: readonly unknown[]) =>
          (await owner.query(text, values)) as R[],
      };
    },
  };
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const server = await connectClient(serverUrl);
  await server.query(`create database ${name}`);
  await server.stop();
  return serverUrl.replace(/\/postgres$/, `/${name}`);
}

async function connectClient(url: string) {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return {
    stop: () => client.end(),
    query: async (text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows,
  };
}
