import { randomUUID } from "node:crypto";
import { Client, type Pool } from "pg";
import { isUnavailable } from "./unavailable.ts";

/**
 * The lease of this process. It is a number, and the process holds a session lock on it. If the session is lost,
 * PostgreSQL frees the lock although the process is alive. The process then takes the lock again immediately. Other
 * processes treat the process as dead only after `watchLeases` has declared it dead.
 */
export interface ProcessLease {
  /**
   * The number of the lease. It changes if the process was declared dead while it was disconnected from the database.
   */
  readonly number: number;
  /**
   * Ends the lease. `acting` means that attempts still run, so the process must not be declared dead before it exits.
   */
  end(options?: { acting?: boolean }): Promise<void>;
}

interface LeaseConnection {
  readonly connection: Client;
  readonly number: number;
}

export interface ProcessLeaseOptions {
  /**
   * The pool through which intents are written. The lease is tested through the same pool, because intents and the
   * lease must reach the same server.
   */
  readonly app?: Pool;
}

/** Starts the lease of this process, and keeps it until `end`. */
export async function beginProcessLease(
  url: string,
  { app }: ProcessLeaseOptions = {},
): Promise<ProcessLease> {
  const holder = randomUUID();
  let ended = false;
  let lease = await connectAndLockFirst(url, holder);
  const keep = () => lease.connection.once("end", revive);
  const revive = async () => {
    for (let pause = 20; !ended; pause = Math.min(pause * 2, 500)) {
      try {
        lease = await connectAndLock(url, holder, lease.number);
        if (ended) await lease.connection.end();
        else keep();
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, pause).unref());
      }
    }
  };
  keep();
  const test = app && checkEverySecond(app, () => lease);
  return {
    get number() {
      return lease.number;
    },
    async end({ acting = false } = {}) {
      if (ended) return;
      ended = true;
      clearInterval(test);
      if (!acting)
        await lease.connection
          .query("select paraph.end_lease($1, $2)", [lease.number, holder])
          .catch(() => {});
      await lease.connection.end().catch(() => {});
    },
  };
}

/**
 * Writes the lease row unchanged, to test whether PostgreSQL accepts writes. Fails on a standby, in a read-only
 * database, or without disk space.
 */
export async function touchLease(app: Pool, { number }: ProcessLease): Promise<void> {
  await app.query("select paraph.touch_lease($1)", [number]);
}

/**
 * Records the address where this process serves segments, or that it serves none. Returns the addresses of all live
 * processes that serve segments.
 */
export async function announceWorker(
  app: Pool,
  { number }: ProcessLease,
  url: string | undefined,
): Promise<readonly string[]> {
  const { rows } = await app.query("select paraph.announce_worker($1, $2) as url", [number, url ?? null]);
  return rows.map((row) => row.url);
}

/**
 * Returns the addresses of the workers that hold their lease now. A killed worker does not, although its address stays
 * announced until it is declared dead.
 */
export async function listHeldAddresses(app: Pool): Promise<readonly string[]> {
  const { rows } = await app.query(
    "select worker_url as url from paraph.process_lease where dead_at is null and worker_url is not null and paraph.lease_held(life)",
  );
  return rows.map((row) => row.url);
}

/**
 * Tests every second, through the pool, whether the lock is held. If the lock is not held, closes the connection, so
 * that the process takes its lock again on the server that the pool uses. The test is necessary because the client does
 * not always notice that its session ended. After a failover, the client may also hold its lock on the old primary.
 */
function checkEverySecond(app: Pool, current: () => LeaseConnection): NodeJS.Timeout {
  let testing = false;
  const test = async () => {
    const { connection, number } = current();
    const { rows } = await app.query("select paraph.lease_held($1) as held", [number]);
    if (!rows[0].held && connection === current().connection) await connection.end();
  };
  const once = async () => {
    if (testing) return;
    testing = true;
    await test().catch(() => {});
    testing = false;
  };
  return setInterval(() => void once(), 1_000).unref();
}

/**
 * Connects and takes the first lease. It retries, because a starting process may wait as long for its lease as for any
 * other query. In contrast, a process that lost its lease has only seconds to take it again.
 */
async function connectAndLockFirst(url: string, holder: string): Promise<LeaseConnection> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connectAndLock(url, holder, undefined);
    } catch (error) {
      if (attempt === maxFirstAttempts || !isUnavailable(error)) throw error;
    }
  }
}

const maxFirstAttempts = 5;

async function connectAndLock(
  url: string,
  holder: string,
  number: number | undefined,
): Promise<LeaseConnection> {
  const connection = new Client({
    connectionString: url,
    options: "-c role=paraph_app",
    application_name: "paraph_life",
    keepAlive: true,
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  });
  connection.on("error", () => {});
  try {
    await connection.connect();
    return { connection, number: await lockLease(connection, holder, number) };
  } catch (error) {
    await connection.end().catch(() => {});
    throw error;
  }
}

async function lockLease(connection: Client, holder: string, number: number | undefined): Promise<number> {
  const one = async (text: string, values: unknown[]) => (await connection.query(text, values)).rows[0].it;
  if (number !== undefined) {
    const renewed = await one("select paraph.renew_lease($1, $2) as it", [number, holder]);
    if (renewed === "held") return number;
    if (renewed === "busy") throw new Error("the lease's lock is busy");
  }
  return one("select paraph.begin_lease($1) as it", [holder]);
}
