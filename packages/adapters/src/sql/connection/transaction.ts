import { CapabilityError, type ExecutionContext } from "@paraph/core";
import type { PoolClient, QueryConfig, QueryResult, Submittable } from "pg";
import { toCommitFault, toSqlFault } from "../sql-fault.ts";
import { refusedFault } from "../statement/statement.ts";
import type { Connections } from "./connections.ts";

/** An open transaction, which runs one statement at a time and passes values only as parameters. */
export interface Transaction {
  /** The server's version as PostgreSQL's own number, such as 180004. */
  readonly version: number;
  query(text: string, values?: readonly unknown[]): Promise<QueryResult<Record<string, unknown>>>;
  submit<T extends Submittable>(query: T): T;
  /** Runs the body and calls `take` with each notice that the server sends in the meantime. */
  withNotices<T>(take: (notice: Notice) => void, body: () => Promise<T>): Promise<T>;
}

/** A message that the server sends in addition to its results. */
export interface Notice {
  readonly severity?: string | undefined;
  readonly detail?: string | undefined;
}

export interface TransactionOptions {
  readonly access: "read only" | "read write";
  /** Whether the transaction keeps its changes or discards them. */
  readonly end: "commit" | "rollback";
  readonly timeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly role?: string | undefined;
}

/**
 * The time after which PostgreSQL ends a session of Paraph that is idle in a transaction. A session that is idle for
 * this long no longer has a Paraph process.
 */
const idleTimeoutMs = 30_000;

type Caller = Pick<ExecutionContext, "signal" | "credential">;

/**
 * Runs the body in one transaction: begin ─▶ settings ─▶ body ─▶ commit or rollback. The transaction uses one snapshot,
 * so Paraph counts, shows, compares and changes the same rows. If another session changes those rows in the meantime,
 * PostgreSQL rejects the change. At the deadline the adapter cancels the running statement and rolls everything back.
 */
export async function withTransaction<T>(
  connections: Connections,
  caller: Caller,
  options: TransactionOptions,
  body: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const address = await connections.readAddress((name) => caller.credential(name));
  throwIfStopped(caller.signal);
  const client = await acquireClient(connections, address, caller.signal);
  const stopping = new DeadlineWatcher(connections, address, client, caller.signal);
  let usable = false;
  try {
    // The deadline may have passed while the adapter waited for a connection.
    throwIfStopped(caller.signal);
    const transaction = await beginTransaction(client, options);
    stopping.pid = transaction.pid;
    const value = await body(transaction);
    throwIfStopped(caller.signal);
    // Stops the cancellation at the deadline, because the adapter needs the answer to the commit.
    await stopping.end();
    await (options.end === "commit" ? commitTransaction(client) : client.query("rollback"));
    usable = !caller.signal.aborted;
    return value;
  } catch (error) {
    await stopping.end();
    // The rollback also runs after the deadline, so that a change that Paraph reports as rolled back really is rolled
    // back.
    usable = (await tryRollback(client)) && !caller.signal.aborted;
    if (caller.signal.aborted && !isAmbiguous(error)) throw stoppedFault();
    throw toSqlFault(error);
  } finally {
    client.off("error", ignoreError);
    // A connection that received a cancel request, or may still receive one, is not reused.
    client.release(!usable);
  }
}

function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw stoppedFault();
}

function stoppedFault(): CapabilityError {
  return new CapabilityError("not-performed", "stopped", "Paraph stopped the statement and rolled it back.");
}

function isAmbiguous(error: unknown): boolean {
  return error instanceof CapabilityError && error.kind === "ambiguous";
}

async function acquireClient(
  connections: Connections,
  address: string,
  signal: AbortSignal,
): Promise<PoolClient> {
  try {
    const client = await connections.acquire(address);
    client.on("error", ignoreError);
    return client;
  } catch (error) {
    throwIfStopped(signal);
    throw toSqlFault(error);
  }
}

/** Ignores errors of the connection, because the statement that runs on it reports a broken connection. */
function ignoreError(): void {}

async function beginTransaction(
  client: PoolClient,
  options: TransactionOptions,
): Promise<Transaction & { pid: number }> {
  const { access, timeoutMs, lockTimeoutMs, role } = options;
  await client.query(`begin isolation level repeatable read ${access}`);
  const { rows } = await client.query(
    // Paraph parses statements with standard strings, so the server must do the same. An allowed function in an earlier
    // call may have taken a session lock, which outlives that call. `pg_advisory_unlock_all` releases such locks.
    `select pg_catalog.set_config('standard_conforming_strings', 'on', true) as strings,
            pg_catalog.set_config('statement_timeout', $1, true) as statement,
            pg_catalog.set_config('lock_timeout', $2, true) as lock,
            pg_catalog.set_config('idle_in_transaction_session_timeout', $3, true) as idle,
            pg_catalog.pg_advisory_unlock_all() as unlocked,
            pg_catalog.current_setting('server_version_num')::int as version,
            pg_catalog.set_config('search_path', ${searchPathSql}, true) as path,
            pg_catalog.current_schemas(true)::text[] as schemas,
            pg_catalog.pg_backend_pid() as pid`,
    [`${timeoutMs}`, `${lockTimeoutMs}`, `${idleTimeoutMs}`],
  );
  const [{ version, pid, path, schemas }] = rows as [SessionRow];
  // Makes PostgreSQL search `pg_catalog` first. Otherwise users' functions would shadow PostgreSQL's own functions,
  // even in the adapter's queries.
  if (schemas.find((schema) => !schema.startsWith("pg_temp")) !== "pg_catalog")
    await client.query("select pg_catalog.set_config('search_path', $1, true)", [`pg_catalog, ${path}`]);
  if (role !== undefined) await client.query("select pg_catalog.set_config('role', $1, true)", [role]);
  return {
    version,
    pid,
    query: (text, values = []) => client.query(toExtendedQuery(text, values)),
    submit: (query) => client.query(query),
    async withNotices(take, body) {
      client.on("notice", take);
      try {
        return await body();
      } finally {
        client.off("notice", take);
      }
    },
  };
}

interface SessionRow {
  readonly version: number;
  readonly pid: number;
  readonly path: string;
  readonly schemas: readonly string[];
}

/**
 * [TRUST 30] The search path that makes PostgreSQL search temporary tables last. Otherwise, the temporary tables of one
 * session would shadow the tables that approvers and policy see.
 */
const searchPathSql = `pg_catalog.concat_ws(', ',
  case when pg_catalog.length(pg_catalog.current_setting('search_path')) operator(pg_catalog.>) 0
       then pg_catalog.current_setting('search_path') end, 'pg_temp')`;

/**
 * Builds a query that uses the extended protocol, even if it has no values. This protocol accepts only one statement
 * and sends the values separately.
 */
function toExtendedQuery(text: string, values: readonly unknown[]): QueryConfig {
  return { text, values: [...values], queryMode: "extended" } as QueryConfig;
}

async function commitTransaction(client: PoolClient): Promise<void> {
  try {
    const { command } = await client.query("commit");
    if (command !== "COMMIT")
      throw refusedFault(
        "rolled-back",
        "The database rolled the change back instead of committing it. Nothing was changed. Check the log of the database.",
      );
  } catch (error) {
    throw toCommitFault(error);
  }
}

async function tryRollback(client: PoolClient): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    return false;
  }
}

/** A listener that cancels the running statement when the deadline passes. */
class DeadlineWatcher {
  pid: number | undefined;
  readonly #signal: AbortSignal;
  readonly #listener: () => void;
  #cancelling: Promise<void> = Promise.resolve();

  constructor(connections: Connections, address: string, client: PoolClient, signal: AbortSignal) {
    this.#signal = signal;
    this.#listener = () => {
      const { pid } = this;
      const told = pid === undefined ? Promise.reject() : connections.cancel(address, pid);
      // If the cancel request fails, the adapter drops the connection. The database then stops the statement when it
      // notices the lost connection or at its own timeout.
      this.#cancelling = told.catch(() => void client.connection.stream.destroy());
    };
    signal.addEventListener("abort", this.#listener, { once: true });
  }

  /**
   * Stops listening and waits for a running cancel request, so that the request cannot cancel a later statement on the
   * connection.
   */
  async end(): Promise<void> {
    this.#signal.removeEventListener("abort", this.#listener);
    await this.#cancelling;
  }
}
