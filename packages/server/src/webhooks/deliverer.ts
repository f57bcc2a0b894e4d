import { type DeliveryParts, deliver, waitBefore } from "./deliver.ts";
import { type Endpoint, wantsObservations } from "./endpoint.ts";
import { type Sender, senderTo } from "./send.ts";

export interface DelivererParts extends DeliveryParts {
  readonly endpoints: readonly Endpoint[];
  /** How often to look whether there is something to tell: 500 ms unless given. */
  readonly lookMs?: number;
}

const atOnce = 4;
const batch = 100;
const longestRestMs = 60_000;

/** Tells every endpoint that this process holds, one after another per call; those it does not hold it tries to take over. */
export async function startDelivering(parts: DelivererParts): Promise<{ stop(): Promise<void> }> {
  const { endpoints, outbox, lookMs = 500 } = parts;
  const ids = (some: readonly Endpoint[]) => some.map(({ id }) => id);
  await outbox.configure(ids(endpoints), ids(endpoints.filter(wantsObservations)));
  const stopping = new AbortController();
  const senders = endpoints.map(({ allowLoopback = false }) => senderTo({ allowLoopback }));
  const loops = endpoints.map((endpoint, index) =>
    tellOnAndOn(endpoint, senders[index]!, lookMs, stopping.signal, parts),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      await Promise.all(senders.map((sender) => sender.close()));
    },
  };
}

async function tellOnAndOn(
  endpoint: Endpoint,
  sender: Sender,
  lookMs: number,
  signal: AbortSignal,
  parts: DelivererParts,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const pass = await tell(endpoint, sender, signal, parts).catch((): Pass => {
      parts.log("webhooks-failed");
      return "failed";
    });
    failures = pass === "failed" ? failures + 1 : 0;
    // One that is down is not asked by every call that has news; each call keeps its own, longer, times as well.
    const restMs = failures > 0 ? Math.min(waitBefore(failures - 1), longestRestMs) : lookMs;
    if (pass !== "more") await rest(restMs, signal);
  }
}

type Pass = "failed" | "more" | "done";

async function tell(
  endpoint: Endpoint,
  sender: Sender,
  signal: AbortSignal,
  parts: DelivererParts,
): Promise<Pass> {
  const { outbox } = parts;
  if (!(await outbox.holds(endpoint.id))) return "done";
  const due = [...(await outbox.due(endpoint.id, batch))];
  const found = due.length;
  let failed = false;
  let taken = false;
  const work = async () => {
    for (let ref = due.shift(); ref && !failed && !signal.aborted; ref = due.shift()) {
      if (await deliver(endpoint, ref, sender, signal, parts)) taken = true;
      else failed = true;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  // One that refuses some of it and takes the rest is not down: what it refused has its own times.
  if (failed) return taken ? "done" : "failed";
  return found === batch ? "more" : "done";
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
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
