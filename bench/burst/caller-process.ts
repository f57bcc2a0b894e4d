// The process of one tenant's callers. It sends requests one after another until it is told to stop, or many at once.
import { Agent, request } from "undici";
import { sendToParent, stopOnDisconnect } from "../lib/in-child.ts";
import type { BurstAnswer, BurstOrder, BurstResult, SteadyOrder, SteadyResult } from "./callers.ts";

const runId = `${process.pid.toString(36)}${Date.now().toString(36)}`;
let count = 0;
let isStopped = false;

process.on("message", (order: SteadyOrder | BurstOrder | { readonly kind: "stop" }) => {
  if (order.kind === "stop") isStopped = true;
  else if (order.kind === "steady")
    void sendSteadily(order).then((result) => sendToParent({ kind: "done", result }));
  else void sendBurst(order).then((result) => sendToParent({ kind: "done", result }));
});
stopOnDisconnect(async () => {});
await sendToParent({ kind: "ready" });

async function sendSteadily({ url, key }: SteadyOrder): Promise<SteadyResult> {
  isStopped = false;
  const dispatcher = new Agent({ connections: 1, pipelining: 1 });
  const samples: SteadyResult["samples"][number][] = [];
  const errors: string[] = [];
  while (!isStopped && errors.length < 10) {
    const from = readTime();
    const { status, text } = await sendCall(url, key, dispatcher);
    samples.push({ from, to: readTime() });
    if (status !== 200 || !text.includes('"succeeded"')) errors.push(`HTTP ${status}: ${text.slice(0, 300)}`);
  }
  await dispatcher.close();
  return { samples, errors };
}

async function sendBurst({ url, keys, requests }: BurstOrder): Promise<BurstResult> {
  // Node accepts 511 connections at once. More would wait for the kernel to repeat their handshake.
  const dispatcher = new Agent({
    connections: 500,
    pipelining: 1,
    connectTimeout: 60_000,
    headersTimeout: 120_000,
  });
  const from = readTime();
  const answers = await Promise.all(
    Array.from({ length: requests }, async (_, n): Promise<BurstAnswer> => {
      const { status, text, retryAfter } = await sendCall(url, keys[n % keys.length]!, dispatcher);
      const { call } = JSON.parse(text.startsWith("{") ? text : "{}") as { call?: string };
      return { status, retryAfter, call, text: status < 300 ? "" : text.slice(0, 300) };
    }),
  );
  const to = readTime();
  await dispatcher.destroy();
  return { from, to, answers };
}

async function sendCall(url: string, key: string, dispatcher: Agent) {
  const name = `${runId}${(count++).toString(36)}`;
  try {
    const { statusCode, headers, body } = await request(`${url}/v1/calls`, {
      method: "POST",
      dispatcher,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": name,
        prefer: "wait=30",
      },
      body: JSON.stringify({ capability: "bench.write", input: { name } }),
    });
    const retryAfter = Number(headers["retry-after"] ?? 0);
    return { status: statusCode, text: await body.text(), retryAfter };
  } catch (error) {
    return { status: 0, text: String((error as Error).message), retryAfter: 0 };
  }
}

/** Returns a time in milliseconds that other processes of this machine can compare with theirs. */
function readTime(): number {
  return performance.timeOrigin + performance.now();
}
