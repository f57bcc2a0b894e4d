import { once } from "node:events";
import { ping, WebSocket } from "undici";
import { z } from "zod";
import type { ReceiveContext } from "../channel.ts";
import { handlePayload } from "./handle-payload.ts";
import { type SlackClient, SlackError } from "./slack-client.ts";

/** The interval at which Paraph checks that the connection works and that this process still owns the channel. */
const heartbeatMs = 30_000;

const envelopeSchema = z.object({ envelope_id: z.string(), payload: z.unknown() });

/**
 * Handles what people do in Slack, over connections that this process opens. Slack asks for a new connection every few
 * hours. An error or a lost connection ends the function, and its caller repeats it later.
 */
export async function listenBySocket(
  client: SlackClient,
  appSecret: string,
  context: ReceiveContext,
): Promise<void> {
  while (!context.signal.aborted && (await context.isOwner())) {
    const address = new URL(await client.openConnection(await context.credential(appSecret)));
    if (address.protocol !== "wss:" && !(client.allowsPlain && address.protocol === "ws:"))
      throw new SlackError("address-not-allowed");
    const end = await runConnection(new WebSocket(address, { dispatcher: client.agent }), client, context);
    if (end !== "refresh") throw new SlackError(end);
  }
}

/** Handles the envelopes of one connection. Returns why it ended. */
async function runConnection(
  socket: WebSocket,
  client: SlackClient,
  context: ReceiveContext,
): Promise<"refresh" | "connection-lost"> {
  const { signal, log } = context;
  const ended = new AbortController();
  let isRefresh = false;
  const running = new Set<Promise<void>>();
  const finish = (refresh: boolean) => {
    isRefresh ||= refresh;
    ended.abort();
  };
  socket.addEventListener("close", () => finish(false));
  socket.addEventListener("error", () => finish(false));
  socket.addEventListener("message", ({ data }) => {
    const message = parseMessage(data);
    if (message?.type === "disconnect") return finish(true);
    const envelope = envelopeSchema.safeParse(message);
    if (!envelope.success) return;
    // Slack repeats an envelope that is not acknowledged, on this connection or the next one.
    const work = handlePayload(envelope.data.payload, client, context)
      .then((payload) => {
        const ack = { envelope_id: envelope.data.envelope_id, ...(payload && { payload }) };
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(ack));
      })
      .catch((error: unknown) =>
        log("slack-failed", { cause: error instanceof SlackError ? error.code : "failed" }),
      );
    running.add(work);
    void work.finally(() => running.delete(work));
  });
  const stop = () => finish(true);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const timer = setInterval(async () => {
    if (socket.readyState === WebSocket.OPEN) ping(socket);
    if (!(await context.isOwner().catch(() => false))) finish(true);
  }, heartbeatMs);
  try {
    if (!ended.signal.aborted) await once(ended.signal, "abort");
    await Promise.all(running);
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", stop);
    socket.close();
  }
  return isRefresh ? "refresh" : "connection-lost";
}

function parseMessage(data: unknown): { readonly type?: unknown } | undefined {
  try {
    const message: unknown = JSON.parse(String(data));
    return typeof message === "object" && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
