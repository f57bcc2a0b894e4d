// The process of the load generator. Each connection has one request in progress at a time, until the load ends.
import { Client } from "undici";
import { parseEngineUrl } from "../../packages/server/src/engine/restate/index.ts";
import { sendToParent, stopOnDisconnect } from "./in-child.ts";
import type { LoadOrder, LoadResult, LoadTarget, LoadUntil } from "./load.ts";

const runId = `${process.pid.toString(36)}${Date.now().toString(36)}`;
let count = 0;

/** The extra time after the warm-up in which a slow variant may answer every caller once. */
const maxWaitMs = 3_000;
/** The extra time after the measured time in which the machine may answer one call at all. */
const maxPauseMs = 30_000;

process.on(
  "message",
  (order: LoadOrder) => void runLoad(order).then((loaded) => sendToParent({ kind: "done", loaded })),
);
stopOnDisconnect(async () => {});
await sendToParent({ kind: "ready" });

async function runLoad({ target, connections, until }: LoadOrder): Promise<LoadResult> {
  const { origin, ...socket } = parseEngineUrl(target.origin);
  const clients = Array.from(
    { length: connections },
    () =>
      new Client(origin, {
        ...socket,
        pipelining: 1,
        headersTimeout: 40_000,
        bodyTimeout: 40_000,
        keepAliveTimeout: 60_000,
      }),
  );
  let answered = 0;
  const latencies: number[] = [];
  const watch = createStopwatch(
    until,
    () => answered >= connections,
    () => latencies.length > 0,
  );
  let errors = 0;
  let firstError: string | undefined;
  const loop = async (client: Client) => {
    while (watch.goesOn()) {
      const begun = performance.now();
      const error = await sendRequest(client, target);
      answered++;
      if (error !== undefined) {
        errors++;
        firstError ??= error;
        if (errors > 1_000) return;
      } else if (watch.counts()) latencies.push(performance.now() - begun);
    }
  };
  await Promise.all(clients.map(loop));
  const seconds = watch.seconds();
  await Promise.all(clients.map((client) => client.close()));
  return { seconds, latencies, answered, errors, ...(firstError !== undefined && { firstError }) };
}

/** Sends one request and returns the error in its response, if there is one. */
async function sendRequest(
  client: Client,
  { method = "POST", path, headers, body, expect }: LoadTarget,
): Promise<string | undefined> {
  const n = `${runId}${(count++).toString(36)}`;
  try {
    const answer = await client.request({
      method,
      path: path.replace("{n}", n),
      headers,
      ...(method === "POST" && { body: body.replace("{n}", n) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== expect.status) return `HTTP ${answer.statusCode}: ${text.slice(0, 300)}`;
    return text.includes(expect.contains ?? "") ? undefined : `unexpected answer: ${text.slice(0, 300)}`;
  } catch (error) {
    return `no answer: ${(error as Error).message}`;
  }
}

/**
 * Creates a stopwatch. It tells callers whether to continue and whether a call counts, and it reports the start and end
 * of the measured time. The measured time starts after the warm-up, once callers have about one response each.
 * Otherwise, callers that start together could all get their responses outside a short window. A window without any
 * response goes on, because the machine paused.
 */
function createStopwatch(until: LoadUntil, warm: () => boolean, isMeasured: () => boolean) {
  if ("calls" in until) {
    const started = performance.now();
    let left = until.calls;
    return {
      goesOn: () => left-- > 0 && performance.now() - started < until.withinMs,
      counts: () => true,
      seconds: () => (performance.now() - started) / 1_000,
    };
  }
  let begun: number | undefined;
  let ended: number | undefined;
  const end = () => {
    const goesOn = !isMeasured() && performance.now() - begun! < until.measureMs + maxPauseMs;
    if (goesOn) return void setTimeout(end, 10);
    ended = performance.now();
    void sendToParent({ kind: "ends" });
  };
  const latest = performance.now() + until.warmMs + maxWaitMs;
  const begin = () => {
    if (!warm() && performance.now() < latest) return void setTimeout(begin, 10);
    begun = performance.now();
    void sendToParent({ kind: "begins" });
    setTimeout(end, until.measureMs);
  };
  setTimeout(begin, until.warmMs);
  return {
    goesOn: () => ended === undefined,
    counts: () => begun !== undefined && ended === undefined,
    seconds: () => ((ended ?? 0) - (begun ?? 0)) / 1_000,
  };
}
