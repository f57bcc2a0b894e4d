import type { CallRef, RecordedEvent } from "@paraph/core";
import { Client, type Pool } from "pg";
import type { Database } from "./database.ts";

interface PendingWebhookEvents {
  readonly principal: string | null;
  readonly attempts: number;
  readonly failingSince: number | null;
  readonly events: readonly (RecordedEvent | ObservationEvent)[];
}

interface ObservationEvent {
  readonly kind: "observation";
  readonly seq: number;
  readonly at: number;
  readonly data: { readonly adapter: string; readonly kind: string };
}

/** The maximum number of events of one call that one query returns. */
const maxEvents = 100;

/** Creates the store for outgoing webhooks. Every method is one transaction and may be repeated. */
export function createWebhookStore({ app, sweeper }: Pick<Database, "app" | "sweeper">, url: string) {
  const held = createSessionLocks(url);
  return {
    configure: async (endpoints: readonly string[], observing: readonly string[]) =>
      void (await queryOne(app, "select paraph.configure_webhooks($1, $2) as it", [endpoints, observing])),
    holds: held.holds,
    async due(endpoint: string, limit: number): Promise<CallRef[]> {
      const text = `select tenant, call from paraph.webhook_delivery
                    where endpoint = $1 and delivered < wanted and next_at <= paraph.now() order by next_at limit $2`;
      return (await sweeper.query({ name: "webhooks-due", text, values: [endpoint, limit] })).rows;
    },
    news: async (endpoint: string, { tenant, call }: CallRef) =>
      (await queryOne<PendingWebhookEvents | null>(
        app,
        "select paraph.webhook_events($1, $2, $3, $4) as it",
        [tenant, endpoint, call, maxEvents],
      )) ?? undefined,
    isFlood: (endpoint: string, { tenant, call }: CallRef) =>
      queryOne<boolean>(app, "select paraph.is_flood($1, $2, $3) as it", [tenant, endpoint, call]),
    told: (endpoint: string, { tenant, call }: CallRef, seq: number, gaveUp: boolean) =>
      queryOne<boolean>(app, "select paraph.webhook_delivered($1, $2, $3, $4, $5) as it", [
        tenant,
        endpoint,
        call,
        seq,
        gaveUp,
      ]),
    failed: async (endpoint: string, { tenant, call }: CallRef, waitMs: number, code: string) =>
      void (await queryOne(
        app,
        "select paraph.webhook_failed($1, $2, $3, $4::int * interval '1 ms', $5) as it",
        [tenant, endpoint, call, waitMs, code],
      )),
    close: held.close,
  };
}

async function queryOne<T>(app: Pool, text: string, values: unknown[]): Promise<T> {
  return (await app.query(text, values)).rows[0].it;
}

/**
 * Creates session locks on a separate connection, so that PostgreSQL frees the locks as soon as the process is gone.
 */
function createSessionLocks(url: string) {
  let connection: Promise<Client> | undefined;
  const held = new Set<string>();
  const connected = () => {
    connection ??= openLockConnection(url, () => {
      connection = undefined;
      held.clear();
    });
    return connection;
  };
  return {
    async holds(endpoint: string): Promise<boolean> {
      const client = await connected();
      if (held.has(endpoint)) return true;
      const text = "select pg_try_advisory_lock(7415, hashtext($1)) as held";
      const { rows } = await client.query<{ held: boolean }>(text, [endpoint]);
      if (rows[0]?.held) held.add(endpoint);
      return rows[0]?.held ?? false;
    },
    async close(): Promise<void> {
      await (await connection?.catch(() => undefined))?.end();
    },
  };
}

async function openLockConnection(url: string, gone: () => void): Promise<Client> {
  const client = new Client({
    connectionString: url,
    options: "-c role=paraph_app",
    application_name: "paraph_webhooks",
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  });
  client.on("error", () => {});
  client.once("end", gone);
  try {
    await client.connect();
  } catch (error) {
    gone();
    throw error;
  }
  return client;
}
