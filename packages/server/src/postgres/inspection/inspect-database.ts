import { Client } from "pg";
import { type Backlog, readBacklog, readDeploymentStatus } from "../backlog.ts";
import type { Query } from "../database.ts";
import { type Access, readAccess } from "./access.ts";
import { type Archive, readArchive } from "./archive.ts";
import { type ClockOffset, readClockOffset } from "./clock-offset.ts";
import { type Connections, readConnections } from "./connections.ts";
import { type Durability, readDurability } from "./durability.ts";
import { type Encryption, readEncryption } from "./encryption.ts";
import { type Maintenance, readMaintenance } from "./maintenance.ts";
import { type Readable, readPart } from "./readable.ts";
import { type Replication, readReplication } from "./replication.ts";
import { readSchemaState, type SchemaState } from "./schema-state.ts";
import { readSessionLimits, type SessionLimits } from "./session-limits.ts";
import { readStorage, type Storage } from "./storage.ts";
import { withRole } from "./with-role.ts";

/** The facts about a database that decide whether Paraph can rely on it. */
export interface DatabaseInspection {
  readonly access: Readable<Access>;
  readonly archive: Readable<Archive>;
  readonly clock: Readable<ClockOffset>;
  readonly connections: Readable<Connections>;
  readonly durability: Readable<Durability>;
  readonly encryption: Readable<Encryption>;
  readonly maintenance: Readable<Maintenance>;
  readonly replication: Readable<Replication>;
  readonly schema: Readable<SchemaState>;
  readonly sessionLimits: Readable<SessionLimits>;
  readonly storage: Readable<Storage>;
  readonly work: Readable<Work>;
}

/** The work that waits in all tenants, and the live workers. */
type Work = Backlog & Awaited<ReturnType<typeof readDeploymentStatus>>;

/**
 * Inspects the database with the login of Paraph's processes. It changes nothing, because its transactions are
 * read-only. `statisticsUrl` names a login that may see more statistics, such as a member of `pg_monitor`.
 */
export async function inspectDatabase(
  url: string,
  { statisticsUrl }: { readonly statisticsUrl?: string | undefined } = {},
): Promise<DatabaseInspection> {
  return withClient(url, (client, query) =>
    statisticsUrl === undefined
      ? inspect(client, query, query)
      : withClient(statisticsUrl, (_, statistics) => inspect(client, query, statistics)),
  );
}

async function withClient<T>(url: string, body: (client: Client, query: Query) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: "paraph_doctor",
    options: "-c default_transaction_read_only=on",
    connectionTimeoutMillis: 10_000,
    statement_timeout: 8_000,
    query_timeout: 10_000,
  });
  // The pending query reports a broken connection. Without a listener, the event would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    return await body(client, async (text, values) => (await client.query(text, values as unknown[])).rows);
  } finally {
    await client.end().catch(() => {});
  }
}

async function inspect(client: Client, query: Query, statistics: Query): Promise<DatabaseInspection> {
  return {
    access: await readPart(() => readAccess(query)),
    archive: await readPart(() => readArchive(statistics)),
    clock: await readPart(() => readClockOffset(query)),
    connections: await readPart(() => readConnections(query)),
    durability: await readPart(() => readDurability(query)),
    encryption: await readPart(async () => readEncryption(client)),
    maintenance: await readPart(() => readMaintenance(statistics)),
    replication: await readPart(() => readReplication(statistics)),
    schema: await readPart(() => readSchemaState(query)),
    sessionLimits: await readPart(() => readSessionLimits(query)),
    storage: await readPart(() => readStorage(statistics)),
    work: await readPart(() => readWork(query)),
  };
}

async function readWork(query: Query): Promise<Work> {
  return withRole(query, "paraph_sweeper", async () => ({
    ...(await readBacklog(query)),
    ...(await readDeploymentStatus(query)),
  }));
}
