import { Pool } from "pg";
import { readGeneration } from "./generation.ts";
import { isUnavailable } from "./unavailable.ts";

/** Narrow ways into one database: the application's, inside a tenant, and the sweeper's, which sees ids and numbers of all. */
export interface Database {
  readonly app: Pool;
  /** The application's, for reads over a tenant's whole history: they may take longer, and keep no call waiting for a connection. */
  readonly reports: Pool;
  readonly sweeper: Pool;
  close(): Promise<void>;
}

export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly code:
    | "too-powerful"
    | "not-migrated"
    | "too-old"
    | "schema-older"
    | "schema-newer"
    | "migration-changed";
  constructor(code: DatabaseError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

export async function connect(url: string, options: { connections?: number } = {}): Promise<Database> {
  const app = pool(url, "paraph_app", options.connections ?? 16);
  const reports = pool(url, "paraph_app", 2, reportBounds);
  const sweeper = pool(url, "paraph_sweeper", 2);
  const close = async () => {
    await Promise.all([app.end(), reports.end(), sweeper.end()]);
  };
  try {
    await refuseUnlessNarrow(app);
    await refuseOtherGeneration(app);
  } catch (error) {
    await close();
    throw error;
  }
  return { app, reports, sweeper, close };
}

/** Runs queries as one tenant: row-level security shows and accepts only its rows. */
export async function withTenant<T>(
  app: Pool,
  tenant: string,
  body: (query: Query) => Promise<T>,
): Promise<T> {
  const client = await app.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    await client.query("select set_config('paraph.tenant', $1, true)", [tenant]);
    const result = await body(async (text, values) => (await client.query(text, values as unknown[])).rows);
    await client.query("commit");
    return result;
  } catch (error) {
    // What PostgreSQL itself did not report was a failure of the connection, which would keep the rollback waiting too.
    if (error instanceof Error && !("severity" in error) && isUnavailable(error)) broken = error;
    else
      await client.query("rollback").catch((failure) => {
        broken = failure;
      });
    throw error;
  } finally {
    client.release(broken);
  }
}

export type Query = <R = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<R[]>;

/**
 * Every query here finds its rows by a key. Left to itself, the planner would keep what it chose while the tables were
 * still empty, and read them from end to end as they grow.
 */
const plans = "-c enable_seqscan=off -c jit=off";

/**
 * Nothing waits for PostgreSQL without an end. The server gives up a statement before the client does, so that a slow
 * statement costs no connection; only a dead path lets the client's own limit pass. A saturated machine needs
 * seconds for a new connection, so a shorter connection timeout would turn load into errors.
 */
const bounds = {
  connectionTimeoutMillis: 10_000,
  lock_timeout: 5_000,
  statement_timeout: 8_000,
  query_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

const reportBounds: Partial<typeof bounds> = { statement_timeout: 60_000, query_timeout: 65_000 };

/** [P7] "Committed" means that it survives a crash of the server, whatever the server's or the database's default says. */
const durable = "-c synchronous_commit=on";

function pool(url: string, role: string, max: number, own: Partial<typeof bounds> = {}): Pool {
  const made = new Pool({
    ...bounds,
    ...own,
    connectionString: url,
    max,
    options: `-c role=${role} ${plans} ${durable}`,
    application_name: role,
  });
  // A connection that breaks while idle is replaced at the next use; without a listener it would end the process.
  made.on("error", () => {});
  return made;
}

/** Row-level security does not hold for superusers, BYPASSRLS roles and, unless forced, owners: none of them may serve. */
async function refuseUnlessNarrow(app: Pool): Promise<void> {
  const { rows } = await app.query(`
    select current_setting('server_version_num')::int as version,
           to_regclass('paraph.call') is not null as migrated,
           (select rolsuper or rolbypassrls from pg_roles where rolname = session_user) as powerful,
           exists (select from pg_tables where schemaname = 'paraph' and tableowner = session_user) as owner`);
  const [found] = rows;
  if (found.version < 150_000) throw new DatabaseError("too-old", "Paraph needs PostgreSQL 15 or later.");
  if (!found.migrated)
    throw new DatabaseError(
      "not-migrated",
      "The database has no Paraph schema yet: run the migrations as its owner first.",
    );
  if (found.powerful || found.owner) {
    throw new DatabaseError(
      "too-powerful",
      "The database user is a superuser, bypasses row-level security or owns the tables, so tenants would not be kept apart. " +
        "Connect as a plain login role that was granted paraph_app and paraph_sweeper.",
    );
  }
}

/** Code and functions must fit: functions may be newer, as during a rolling upgrade, for as long as they serve this code. */
async function refuseOtherGeneration(app: Pool): Promise<void> {
  const here = await readGeneration();
  const known = await app.query("select to_regprocedure('paraph.schema_generation()') is not null as it");
  const there = known.rows[0].it
    ? (await app.query("select generation, serves from paraph.schema_generation()")).rows[0]
    : { generation: 0, serves: 0 };
  if (there.generation < here.generation)
    throw new DatabaseError(
      "schema-older",
      `The database is of generation ${there.generation}, and this version of Paraph needs ${here.generation}. ` +
        "Run the migrations as the owner of the database first (DATABASE_OWNER_URL).",
    );
  if (there.serves > here.generation)
    throw new DatabaseError(
      "schema-newer",
      `The database is of generation ${there.generation} and serves versions of Paraph from ${there.serves} on; this one has ${here.generation}. ` +
        "Start the version that migrated the database, or a newer one.",
    );
}
