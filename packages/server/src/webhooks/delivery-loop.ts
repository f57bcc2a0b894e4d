import { computeRetryDelay, type DeliveryDeps, deliverEvents } from "./deliver-events.ts";
import { type Endpoint, wantsObservations } from "./endpoint.ts";
import { createSender, type WebhookSender } from "./send.ts";

/** The dependencies of `startWebhookDelivery`. */
export interface DelivererDeps extends DeliveryDeps {
  readonly endpoints: readonly Endpoint[];
  /** The ids of further endpoints of the outbox, to which another part of the process delivers. */
  readonly otherEndpoints?: readonly string[];
  /** The interval between two polls for due events (default: 500 ms). */
  readonly pollMs?: number;
}

const maxConcurrent = 4;
const batchSize = 100;
const maxPauseMs = 60_000;

/**
 * Starts the delivery to every endpoint that this process holds. The events of each call are delivered in order. The
 * process keeps trying to take over the endpoints that it does not hold.
 */
export async function startWebhookDelivery(parts: DelivererDeps): Promise<{ stop(): Promise<void> }> {
  const { endpoints, otherEndpoints = [], outbox, pollMs = 500 } = parts;
  const ids = (some: readonly Endpoint[]) => some.map(({ id }) => id);
  await outbox.configure([...ids(endpoints), ...otherEndpoints], ids(endpoints.filter(wantsObservations)));
  const stopping = new AbortController();
  const senders = endpoints.map(({ allowLoopback = false }) => createSender({ allowLoopback }));
  const loops = endpoints.map((endpoint, index) =>
    runDeliveryLoop(endpoint, senders[index]!, pollMs, stopping.signal, parts),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      await Promise.all(senders.map((sender) => sender.close()));
    },
  };
}

async function runDeliveryLoop(
  endpoint: Endpoint,
  sender: WebhookSender,
  lookMs: number,
  signal: AbortSignal,
  parts: DelivererDeps,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const pass = await deliverDue(endpoint, sender, signal, parts).catch((): PassResult => {
      parts.log("webhooks-failed");
      return "failed";
    });
    failures = pass === "failed" ? failures + 1 : 0;
    // While an endpoint is down, all calls share one pause, so that Paraph does not try the endpoint for every call.
    // Each call also keeps its own, longer delay.
    const restMs = failures > 0 ? Math.min(computeRetryDelay(failures - 1), maxPauseMs) : lookMs;
    if (pass !== "more") await pause(restMs, signal);
  }
}

type PassResult = "failed" | "more" | "done";

async function deliverDue(
  endpoint: Endpoint,
  sender: WebhookSender,
  signal: AbortSignal,
  parts: DelivererDeps,
): Promise<PassResult> {
  const { outbox } = parts;
  if (!(await outbox.holds(endpoint.id))) return "done";
  const due = [...(await outbox.due(endpoint.id, batchSize))];
  const found = due.length;
  let failed = false;
  let taken = false;
  const work = async () => {
    for (let ref = due.shift(); ref && !failed && !signal.aborted; ref = due.shift()) {
      if (await deliverEvents(endpoint, ref, sender, signal, parts)) taken = true;
      else failed = true;
    }
  };
  await Promise.all(Array.from({ length: maxConcurrent }, work));
  // An endpoint that accepts some events is not down, so the pass counts as done. The refused events have their own
  // delays.
  if (failed) return taken ? "done" : "failed";
  return found === batchSize ? "more" : "done";
}

/** Waits, but not longer than until the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
