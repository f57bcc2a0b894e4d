import { CapabilityError, type ExecutionContext } from "@paraph/core";
import type { PoolClient, QueryConfig, QueryResult, Submittable } from "pg";
import { toCommitFault, toSqlFault } from "../sql-fault.ts";
import { refusedFault } from "../statement/statement.ts";
import type { Connections } from "./connections.ts";

/** What runs between a begin and an end: one statement at a time, values only ever as parameters. */
export interface Transaction {
  /** As PostgreSQL counts: 180004. */
  readonly version: number;
  query(text: string, values?: readonly unknown[]): Promise<QueryResult<Record<string, unknown>>>;
  submit<T extends Submittable>(query: T): T;
  /** Runs a body and hands over what the server notes meanwhile. */
  withNotices<T>(take: (notice: Notice) => void, body: () => Promise<T>): Promise<T>;
}

/** What the server says beside its answers. */
export interface Notice {
  readonly severity?: string | undefined;
  readonly detail?: string | undefined;
}

export interface TransactionOptions {
  readonly access: "read only" | "read write";
  /** Whether what was done stays. */
  readonly end: "commit" | "rollback";
  readonly timeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly role?: string | undefined;
}

/** A session of ours that says nothing for so long inside a transaction has lost its process. */
const idleTimeoutMs = 30_000;

type Caller = Pick<ExecutionContext, "signal" | "credential">;

/**
 * begin ─▶ settings ─▶ body ─▶ commit or rollback. One snapshot for all of it: what is counted, shown, compared and
 * changed is the same rows, and where somebody else changed them meanwhile the database refuses. When time is up the
 * running statement is stopped and everything rolled back.
 */
export async function withTransaction<T>(
  connections: Connections,
  caller: Caller,
  options: TransactionOptions,
  body: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const address = await connections.readAddress((name) => caller.credential(name));
  throwIfStopped(caller.signal);
  const client = await acquireClient(connections, address);
  const stopping = new DeadlineWatcher(connections, address, client, caller.signal);
  let usable = false;
  try {
    // It may have been up while a connection was waited for.
    throwIfStopped(caller.signal);
    const transaction = await beginTransaction(client, options);
    stopping.pid = transaction.pid;
    const value = await body(transaction);
    throwIfStopped(caller.signal);
    // From here on the deadline stops nothing: the answer to the commit is worth waiting for.
    await stopping.end();
    await (options.end === "commit" ? commitTransaction(client) : client.query("rollback"));
    usable = !caller.signal.aborted;
    return value;
  } catch (error) {
    await stopping.end();
    // Also when its time is up: whoever is told that it was rolled back finds it so.
    usable = (await tryRollback(client)) && !caller.signal.aborted;
    if (caller.signal.aborted && !isAmbiguous(error)) throw stoppedFault();
    throw toSqlFault(error);
  } finally {
    client.off("error", ignoreError);
    // A connection that was, or may yet be, told to stop is used for nothing else.
    client.release(!usable);
  }
}

function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw stoppedFault();
}

function stoppedFault(): CapabilityError {
  return new CapabilityError("not-performed", "stopped", "Stopped before its end, and rolled back.");
}

function isAmbiguous(error: unknown): boolean {
  return error instanceof CapabilityError && error.kind === "ambiguous";
}

async function acquireClient(connections: Connections, address: string): Promise<PoolClient> {
  try {
    const client = await connections.acquire(address);
    client.on("error", ignoreError);
    return client;
  } catch (error) {
    throw toSqlFault(error);
  }
}

/** A connection that breaks is noticed by the statement that runs on it. */
function ignoreError(): void {}

async function beginTransaction(
  client: PoolClient,
  options: TransactionOptions,
): Promise<Transaction & { pid: number }> {
  const { access, timeoutMs, lockTimeoutMs, role } = options;
  await client.query(`begin isolation level repeatable read ${access}`);
  const { rows } = await client.query(
    // The statement was read as the standard has strings: the server must read it the same way.
    // A lock of the session would outlive the call before, whose function was let through by the configuration.
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
  // Where `pg_catalog` is not searched first, functions of users stand in for PostgreSQL's own, also in our queries.
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
 * [TRUST 30] Temporary tables are searched last: in one session, and no other, they would stand in for the tables that
 * people and policy see.
 */
const searchPathSql = `pg_catalog.concat_ws(', ',
  case when pg_catalog.length(pg_catalog.current_setting('search_path')) operator(pg_catalog.>) 0
       then pg_catalog.current_setting('search_path') end, 'pg_temp')`;

/** Always with the protocol that takes one statement and its values apart, also where there are no values. */
function toExtendedQuery(text: string, values: readonly unknown[]): QueryConfig {
  return { text, values: [...values], queryMode: "extended" } as QueryConfig;
}

async function commitTransaction(client: PoolClient): Promise<void> {
  try {
    const { command } = await client.query("commit");
    if (command !== "COMMIT")
      throw refusedFault("rolled-back", "The database rolled it back instead of committing it.");
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

/** Watches the deadline while a transaction runs. */
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
      // A database that cannot be told is left: it finds the connection gone, or its own time-out.
      this.#cancelling = told.catch(() => void client.connection.stream.destroy());
    };
    signal.addEventListener("abort", this.#listener, { once: true });
  }

  /** Waits for what was begun: the connection must not be told to stop when it does something else. */
  async end(): Promise<void> {
    this.#signal.removeEventListener("abort", this.#listener);
    await this.#cancelling;
  }
}
