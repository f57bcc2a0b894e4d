import type { CallRef, Wake } from "@paraph/core";
import { Client, type Pool } from "pg";

/** PostgreSQL's limit is 8,000 bytes. */
const maxPayloadBytes = 7_900;

/**
 * Sends messages to the process that listens on this channel. The statement does not wait for the disk, because a lost
 * message does no harm.
 */
export async function notifyWorker(app: Pool, channel: string, wakes: readonly Wake[]): Promise<void> {
  await notify(app, channel, formatPayloads(wakes));
}

async function notify(app: Pool, channel: string, payloads: readonly string[]): Promise<void> {
  await app.query({
    name: "notify",
    text: "select set_config('synchronous_commit', 'off', true), pg_notify($1, payload) from unnest($2::text[]) payload",
    values: [channel, payloads],
  });
}

/** Formats the messages as lines of ids and numbers [P10], several in one payload. */
function formatPayloads(wakes: readonly Wake[]): string[] {
  const payloads: string[] = [];
  let payload = "";
  for (const { tenant, call, epoch, at } of wakes) {
    const line = `${JSON.stringify([tenant, call, epoch, ...(at === undefined ? [] : [Math.round(at)])])}\n`;
    if (payload !== "" && Buffer.byteLength(payload + line) > maxPayloadBytes) {
      payloads.push(payload);
      payload = "";
    }
    payload += line;
  }
  return payload === "" ? payloads : [...payloads, payload];
}

/** The connection on which a worker receives its messages. */
export interface WakeListener {
  /**
   * Sends a message to this process through the pool. If no message has arrived for a while, closes the connection, so
   * that the process listens on the server that the pool uses. After a failover, the connection may still lead to the
   * old primary.
   */
  check(app: Pool): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Receives the messages for this process on its own connection, and connects again when the connection is lost.
 * Resolves when the process listens.
 */
export async function listenForWakes(
  url: string,
  channel: string,
  onWake: (wake: Wake) => void,
  { maxSilenceMs = 10_000 }: { readonly maxSilenceMs?: number } = {},
): Promise<WakeListener> {
  let isStopped = false;
  let heardAt = performance.now();
  const onPayload = (payload: string) => {
    heardAt = performance.now();
    for (const line of payload.split("\n")) {
      const wake = parseWake(line);
      if (wake) onWake(wake);
    }
  };
  let connection = await connectAndListen(url, channel, onPayload);
  const keep = () => connection.once("end", reconnect);
  const reconnect = async () => {
    for (let pause = 20; !isStopped; pause = Math.min(pause * 2, 1_000)) {
      try {
        connection = await connectAndListen(url, channel, onPayload);
        heardAt = performance.now();
        if (isStopped) await connection.end();
        else keep();
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, pause).unref());
      }
    }
  };
  keep();
  return {
    async check(app) {
      const listening = connection;
      await notify(app, channel, [""]);
      const isSilent = performance.now() - heardAt > maxSilenceMs;
      if (isSilent && listening === connection) await listening.end();
    },
    async stop() {
      isStopped = true;
      await connection.end().catch(() => {});
    },
  };
}

async function connectAndListen(
  url: string,
  channel: string,
  onPayload: (payload: string) => void,
): Promise<Client> {
  const client = new Client({
    connectionString: url,
    options: "-c role=paraph_sweeper",
    application_name: "paraph_wakes",
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  });
  client.on("error", () => {});
  client.on("notification", ({ payload }) => onPayload(payload ?? ""));
  try {
    await client.connect();
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** Parses a message. Returns undefined for any other text, because every database user can send to a channel. */
function parseWake(line: string): Wake | undefined {
  const [, tenant, call, epoch, at] =
    /^\["([^"\\\p{Cc}]{1,255})","([^"\\\p{Cc}]{1,255})",(\d{1,15})(?:,(\d{1,15}))?\]$/u.exec(line) ?? [];
  if (tenant === undefined || call === undefined) return undefined;
  return { tenant, call, epoch: Number(epoch), ...(at !== undefined && { at: Number(at) }) };
}

/**
 * Postpones the due time of calls whose segment still runs, so that no other worker runs it as well. A call that
 * performs an attempt, or waits for a person or its agent, keeps its due time.
 */
export async function postponeDueCalls(sweeper: Pool, calls: readonly CallRef[]): Promise<void> {
  if (calls.length === 0) return;
  await sweeper.query({
    name: "postpone",
    text: `
      update paraph.call c set next_at = paraph.now() + interval '10 seconds'
      from unnest($1::text[], $2::text[]) w (tenant, id)
      where c.tenant = w.tenant and c.id = w.id and c.state not in ('asking', 'offered', 'performing')
        and c.next_at < paraph.now() + interval '5 seconds'`,
    values: [calls.map(({ tenant }) => tenant), calls.map(({ call }) => call)],
  });
}
