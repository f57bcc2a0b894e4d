import type { Engine, Wake } from "@paraph/core";
import { objectName, toCallKey } from "./call-object.ts";
import { createEngineConnection } from "./engine-connection.ts";

/** An engine that sends messages through Restate's ingress. */
export interface RestateEngine extends Engine {
  /** Throws unless the engine accepts messages. */
  requireHealthy(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates the engine that sends messages to Restate. A message may safely arrive twice, because a segment derives its
 * work from the rows and not from the message. Messages have no idempotency key. With a key, the engine could suppress
 * a message that the sweeper repeats.
 */
export function createRestateEngine(ingressUrl: string, now: () => number): RestateEngine {
  const ingress = createEngineConnection(ingressUrl);
  return {
    async send(wake: Wake) {
      const delay = wake.at === undefined ? 0 : Math.max(0, Math.round(wake.at - now()));
      const path = `/${objectName}/${encodeURIComponent(toCallKey(wake))}/advance/send${delay > 0 ? `?delay=${delay}ms` : ""}`;
      const { status } = await ingress.request("POST", path, { epoch: wake.epoch });
      if (status >= 300)
        throw Object.assign(new Error("the engine refused a message"), { code: `engine-${status}` });
    },
    async requireHealthy(signal) {
      const { status } = await ingress.request("GET", "/restate/health", undefined, signal);
      if (status !== 200) throw new Error("The engine is not healthy.");
    },
    close: ingress.close,
  };
}
