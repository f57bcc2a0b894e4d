import { type Database, readBacklog, readDeploymentStatus } from "../postgres/index.ts";
import type { GaugeSource } from "../telemetry/index.ts";

/** The time for which a result of PostgreSQL is reused, so that frequent scrapes cause no further queries. */
const cacheMs = 10_000;
/** The time for which a scrape waits for PostgreSQL. After it, the numbers are absent from the scrape, which is not an error. */
const patienceMs = 2_000;

interface GaugeParts {
  readonly database: Pick<Database, "app" | "reports" | "sweeper" | "metrics">;
  readonly checkHealth: () => Promise<Readonly<Record<string, boolean>>>;
}

/** Creates the source of the gauges: the health of this process, its connections, and the work that waits. */
export function createGaugeSource({ database, checkHealth }: GaugeParts): GaugeSource {
  const readNumbers = createCachedRead(() => readWaitingWork(database.metrics));
  return async (gauges) => {
    for (const [part, works] of Object.entries(await checkHealth()))
      gauges.measure("paraph.ready", works ? 1 : 0, { part });
    for (const pool of ["app", "reports", "sweeper"] as const)
      gauges.measure("paraph.database.waiting", database[pool].waitingCount, { pool });

    const found = await readNumbers();
    if (!found) return;
    const { seconds, backlog, workers, webhooks, notices } = found;
    gauges.measure("paraph.backlog.read.seconds", seconds);
    gauges.measure("paraph.workers", workers);
    gauges.measure("paraph.calls.due", backlog.due.count);
    gauges.measure("paraph.calls.due.age.seconds", toSeconds(backlog.due.oldestMs));
    gauges.measure("paraph.calls.stuck", backlog.stuck);
    gauges.measure("paraph.calls.unknown", backlog.unknown);
    gauges.measure("paraph.approvals.open", backlog.approvals.count);
    gauges.measure("paraph.approvals.open.age.seconds", toSeconds(backlog.approvals.oldestMs));
    gauges.measure("paraph.locks.held", backlog.locksHeld);
    gauges.measure("paraph.webhooks.failing", webhooks.count);
    gauges.measure("paraph.webhooks.failing.age.seconds", toSeconds(webhooks.oldestMs));
    for (const { channel, kind, count, oldestMs } of notices) {
      gauges.measure("paraph.notices.waiting", count, { channel, kind });
      gauges.measure("paraph.notices.waiting.age.seconds", toSeconds(oldestMs), { channel, kind });
    }
  };
}

async function readWaitingWork(pool: Database["metrics"]) {
  const query = async <R>(text: string) => (await pool.query(text)).rows as R[];
  const begun = performance.now();
  const backlog = await readBacklog(query);
  const seconds = (performance.now() - begun) / 1_000;
  return { seconds, backlog, ...(await readDeploymentStatus(query)) };
}

/**
 * Creates a function that shares one result between all callers. It returns undefined if the read failed or takes too
 * long. A read that takes long goes on, and no second one starts beside it.
 */
export function createCachedRead<T>(
  read: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T | undefined> {
  let last: Promise<T | undefined> | undefined;
  let until = Number.POSITIVE_INFINITY;
  const start = async () => {
    const result = await read().catch(() => undefined);
    until = now() + cacheMs;
    return result;
  };
  return () => {
    if (!last || now() >= until) {
      until = Number.POSITIVE_INFINITY;
      last = start();
    }
    return Promise.race([last, waitUntilLate()]);
  };
}

function waitUntilLate(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), patienceMs).unref();
  });
}

/** Without anything that waits, the age is 0, so that an alert on it ends. */
function toSeconds(ms = 0): number {
  return ms / 1_000;
}
