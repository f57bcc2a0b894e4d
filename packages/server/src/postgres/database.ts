import { Pool } from "pg";
import { readGeneration } from "./generation.ts";
import { replanWhileTablesGrow } from "./replan.ts";
import { isUnavailable } from "./unavailable.ts";

/**
 * The connection pools of one database, each with a restricted role. `app` works inside one tenant. `sweeper` can read
 * ids and numbers of all tenants.
 */
export interface Database {
  readonly app: Pool;
  /**
   * A pool of the application role for reads over a tenant's whole history. Such reads may take longer. With their own
   * pool, they do not occupy connections that calls need.
   */
  readonly reports: Pool;
  readonly sweeper: Pool;
  /**
   * A connection of the sweeper's role for metrics. Its short timeouts keep a slow database from delaying the metrics,
   * and reading metrics takes no connection from the sweeper.
   */
  readonly metrics: Pool;
  close(): Promise<void>;
}

/** The error for a database that Paraph cannot use. The message gives the reason and the next step. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly code:
    | "database-unavailable"
    | "login-not-prepared"
    | "too-powerful"
    | "not-migrated"
    | "too-old"
    | "schema-older"
    | "schema-newer"
    | "migration-changed"
    | "migration-blocked";
  constructor(code: DatabaseError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Connects to the database. Rejects a role with too many rights, and a schema that does not fit this version of Paraph.
 */
export async function connectDatabase(
  url: string,
  options: { connections?: number } = {},
): Promise<Database> {
  const app = createPool(url, "paraph_app", options.connections ?? 16);
  const reports = createPool(url, "paraph_app", 2, reportTimeouts);
  const sweeper = createPool(url, "paraph_sweeper", 2);
  const metrics = createPool(url, "paraph_sweeper", 1, metricsTimeouts);
  const close = async () => {
    await Promise.all([app.end(), reports.end(), sweeper.end(), metrics.end()]);
  };
  try {
    await requireNarrowRole(app);
    await requireMatchingGeneration(app);
  } catch (error) {
    await close();
    if (isRoleDenied(error)) throw unpreparedLoginError(url, error);
    throw isUnavailable(error) ? unavailableError(url, error as Error) : error;
  }
  return { app, reports, sweeper, metrics, close };
}

/** Whether a new connection could not switch to Paraph's role: the role does not exist, or the login may not use it. */
function isRoleDenied(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return (code === "42501" || code === "22023") && String(message).includes('"paraph_');
}

function unpreparedLoginError(url: string, cause: unknown): DatabaseError {
  const login = decodeURIComponent(URL.parse(url)?.username ?? "");
  return new DatabaseError(
    "login-not-prepared",
    `The login \`${login}\` may not switch to Paraph's roles. Run \`paraph migrate\` with this DATABASE_URL, and with the login of the database's owner in DATABASE_OWNER_URL. Then start Paraph again.`,
    { cause },
  );
}

/**
 * Creates the error for a database that cannot be reached when Paraph starts. It names the server without the login,
 * because the URL contains the password.
 */
function unavailableError(url: string, error: Error & { readonly code?: unknown }): DatabaseError {
  const { host = "", pathname = "" } = URL.parse(url) ?? {};
  const place = host === "" ? "PostgreSQL" : `PostgreSQL at \`${host}${pathname}\``;
  // If a host name has several addresses, the error has a code but no message.
  const reason = error.message || String(error.code);
  return new DatabaseError(
    "database-unavailable",
    `Paraph cannot connect to ${place}: ${reason}. Check that PostgreSQL runs there and accepts connections, and that the database URL is correct. Then start Paraph again.`,
    { cause: error },
  );
}

/** Runs queries as one tenant. Row-level security shows and accepts only the rows of that tenant. */
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
    // If PostgreSQL did not report the error itself, the connection is broken. The rollback is then skipped, because it
    // would hang as well.
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

/** Runs one statement and returns its rows. */
export type Query = <R = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<R[]>;

/**
 * The planner options. Every query here finds its rows by a key. Without these options, PostgreSQL would keep the plans
 * that it chose for empty tables. It would then read whole tables, even after they have grown.
 */
const plannerOptions = "-c enable_seqscan=off -c jit=off";

/**
 * The limits for every wait for PostgreSQL. PostgreSQL cancels a slow statement before the client gives up, so that the
 * connection stays usable. The client reaches its own limit only if the network path is broken. A new connection takes
 * seconds on a saturated machine, so a shorter connection limit would turn load into errors.
 */
const timeouts = {
  connectionTimeoutMillis: 10_000,
  lock_timeout: 5_000,
  statement_timeout: 8_000,
  query_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

const reportTimeouts: Partial<typeof timeouts> = { statement_timeout: 60_000, query_timeout: 65_000 };

const metricsTimeouts: Partial<typeof timeouts> = {
  connectionTimeoutMillis: 1_000,
  statement_timeout: 1_000,
  query_timeout: 1_500,
};

/**
 * [P7] The durability options. A commit must survive a crash of PostgreSQL, regardless of the defaults of the server
 * and the database.
 */
const durabilityOptions = "-c synchronous_commit=on";

function createPool(url: string, role: string, max: number, own: Partial<typeof timeouts> = {}): Pool {
  const made = new Pool({
    ...timeouts,
    ...own,
    connectionString: url,
    max,
    options: `-c role=${role} ${plannerOptions} ${durabilityOptions}`,
    application_name: role,
  });
  // Ignores the error of a connection that breaks while it is idle, or between two statements of a transaction. The next
  // statement fails, and the pool replaces the connection. Without a listener, the error would end the process.
  made.on("error", () => {});
  made.on("connect", (client) => client.on("error", () => {}));
  replanWhileTablesGrow(made);
  return made;
}

/**
 * Rejects superusers, BYPASSRLS roles and table owners. Row-level security does not apply to the first two, and applies
 * to owners only if it is forced.
 */
async function requireNarrowRole(app: Pool): Promise<void> {
  const { rows } = await app.query(`
    select current_setting('server_version_num')::int as version,
           to_regclass('paraph.call') is not null as migrated,
           (select rolsuper or rolbypassrls from pg_roles where rolname = session_user) as powerful,
           exists (select from pg_tables where schemaname = 'paraph' and tableowner = session_user) as owner`);
  const [found] = rows;
  if (found.version < 150_000)
    throw new DatabaseError(
      "too-old",
      "This PostgreSQL server is too old. Paraph needs PostgreSQL 15 or later.",
    );
  if (!found.migrated)
    throw new DatabaseError(
      "not-migrated",
      "The database has no Paraph schema yet. Run `paraph migrate` with the login of the database's owner in DATABASE_OWNER_URL, then start Paraph again.",
    );
  if (found.powerful || found.owner) {
    throw new DatabaseError(
      "too-powerful",
      "The database user is a superuser, bypasses row-level security or owns the tables, so tenants would not be separated. " +
        "Connect as a plain login role that was granted paraph_app and paraph_sweeper.",
    );
  }
}

/**
 * Rejects a schema whose functions do not match this code. During a rolling upgrade, the functions may be newer than
 * the code if they still support it.
 */
async function requireMatchingGeneration(app: Pool): Promise<void> {
  const here = await readGeneration();
  const result = await app.query("select to_regprocedure('paraph.schema_generation()') is not null as it");
  const there = result.rows[0].it
    ? (await app.query("select generation, serves from paraph.schema_generation()")).rows[0]
    : { generation: 0, serves: 0 };
  if (there.generation < here.generation)
    throw new DatabaseError(
      "schema-older",
      `The database schema has generation ${there.generation}, and this version of Paraph needs generation ${here.generation}. ` +
        "Run `paraph migrate` of this version with the login of the database's owner in DATABASE_OWNER_URL, then start Paraph again.",
    );
  if (there.serves > here.generation)
    throw new DatabaseError(
      "schema-newer",
      `The database schema has generation ${there.generation} and supports Paraph from generation ${there.serves} on. This version has generation ${here.generation}. ` +
        "Start the version that migrated the database, or a newer one.",
    );
}
