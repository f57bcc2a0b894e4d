import { type ClientConfig, Pool, type PoolClient } from "pg";
import { refusedFault } from "../statement/statement.ts";
import { GuardedClient } from "./guarded-client.ts";

/** A set of connection pools, one per database address. Each tenant's secret may name a different database. */
export class Connections {
  readonly #connection: string;
  readonly #max: number;
  readonly #pools = new Map<string, Pool>();
  #closed = false;

  constructor(connection: string, max: number) {
    this.#connection = connection;
    this.#max = max;
  }

  /** Returns the database address, which may come from a secret of the tenant whose call runs. */
  async readAddress(credential: (name: string) => Promise<string>): Promise<string> {
    const secret = /^\$\{([A-Za-z0-9_-]+)\}$/.exec(this.#connection)?.[1];
    const address = secret === undefined ? this.#connection : await credential(secret);
    // [P10] The address contains a password, so the error never quotes it.
    if (!isPostgresAddress(address)) {
      throw refusedFault(
        "connection-invalid",
        "The address of the database must begin with `postgres://` or `postgresql://`. Correct the secret that `connection` names.",
      );
    }
    return address;
  }

  /** Returns one connection, which the caller must release. */
  async acquire(address: string): Promise<PoolClient> {
    if (this.#closed) throw refusedFault("adapter-closed", "The adapter is closed.");
    return this.#pool(address).connect();
  }

  /** Cancels the statement that another connection runs, and rejects if it cannot reach the database. */
  async cancel(address: string, pid: number): Promise<void> {
    const client = new GuardedClient(toClientConfig(address));
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("select pg_catalog.pg_cancel_backend($1)", [pid]);
    } finally {
      await client.end().catch(() => {});
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#pools.values()].map((pool) => pool.end()));
  }

  #pool(address: string): Pool {
    const known = this.#pools.get(address);
    if (known) return known;
    // The pool closes idle connections, so an address that is no longer used costs nothing.
    const pool = new Pool({
      ...toClientConfig(address),
      max: this.#max,
      idleTimeoutMillis: 30_000,
      Client: GuardedClient,
    });
    // Ignores the error, because the pool discards an idle connection that breaks. The next call opens another
    // connection.
    pool.on("error", () => {});
    this.#pools.set(address, pool);
    return pool;
  }
}

export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text);
}

function toClientConfig(address: string): ClientConfig {
  return {
    connectionString: address,
    application_name: "paraph",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  };
}
