import { randomUUID } from "node:crypto";
import { Client, type Pool } from "pg";
import { isUnavailable } from "./unavailable.ts";

/**
 * The lease of this process: a number, held as a session lock. A lost session frees the lock although the process lives, so
 * the process takes it again at once, and others believe in its death only after `watchLeases` declared it.
 */
export interface Life {
  /** Changes if the process was declared dead while it was away from the database. */
  readonly number: number;
  /** `acting`: attempts are still running, so the process must not be declared dead before it is gone. */
  end(options?: { acting?: boolean }): Promise<void>;
}

interface Lease {
  readonly connection: Client;
  readonly number: number;
}

export interface LifeOptions {
  /** The pool that intents are written through. The lease is tested through it too: both must reach the same server. */
  readonly app?: Pool;
}

export async function beginLife(url: string, { app }: LifeOptions = {}): Promise<Life> {
  const holder = randomUUID();
  let ended = false;
  let lease = await takeFirst(url, holder);
  const keep = () => lease.connection.once("end", revive);
  const revive = async () => {
    for (let pause = 20; !ended; pause = Math.min(pause * 2, 500)) {
      try {
        lease = await take(url, holder, lease.number);
        if (ended) await lease.connection.end();
        else keep();
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, pause).unref());
      }
    }
  };
  keep();
  const test = app && testEverySecond(app, () => lease);
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

/** Fails where PostgreSQL takes no writes: on a standby, in a read-only database, without disk space. */
export async function touchLease(app: Pool, { number }: Life): Promise<void> {
  await app.query("select paraph.touch_lease($1)", [number]);
}

/** Writes down where this process serves segments, if it does. Returns where all live processes do. */
export async function announceWorker(
  app: Pool,
  { number }: Life,
  url: string | undefined,
): Promise<readonly string[]> {
  const { rows } = await app.query("select paraph.announce_worker($1, $2) as url", [number, url ?? null]);
  return rows.map((row) => row.url);
}

/**
 * The client does not always notice that its session ended, and after a failover it may hold its lock on the old primary.
 * Closing the connection makes the process take its lock again, where the pool is.
 */
function testEverySecond(app: Pool, current: () => Lease): NodeJS.Timeout {
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

/** Takes the first lease of a process. It retries, because a starting process can wait longer than one that lost its lease. */
async function takeFirst(url: string, holder: string): Promise<Lease> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await take(url, holder, undefined);
    } catch (error) {
      if (attempt === maxFirstAttempts || !isUnavailable(error)) throw error;
    }
  }
}

const maxFirstAttempts = 5;

async function take(url: string, holder: string, number: number | undefined): Promise<Lease> {
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
    return { connection, number: await locked(connection, holder, number) };
  } catch (error) {
    await connection.end().catch(() => {});
    throw error;
  }
}

async function locked(connection: Client, holder: string, number: number | undefined): Promise<number> {
  const one = async (text: string, values: unknown[]) => (await connection.query(text, values)).rows[0].it;
  if (number !== undefined) {
    const renewed = await one("select paraph.renew_lease($1, $2) as it", [number, holder]);
    if (renewed === "held") return number;
    if (renewed === "busy") throw new Error("the lease's lock is busy");
  }
  return one("select paraph.begin_lease($1) as it", [holder]);
}
