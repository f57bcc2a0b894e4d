import type { Engine, Wake } from "@paraph/core";
import { Agent } from "undici";
import { keyOf, objectName } from "./call-object.ts";

/**
 * The one verb. No idempotency key: a segment decides by the rows, so a message may come twice, and a key that the
 * engine remembers could swallow the sweeper's repetition.
 */
export function restateEngine(ingressUrl: string, now: () => number): Engine & { close(): Promise<void> } {
  const agent = new Agent({
    keepAliveTimeout: 30_000,
    connections: 16,
    pipelining: 1,
    headersTimeout: 5_000,
    bodyTimeout: 5_000,
  });
  return {
    async send(wake: Wake) {
      const delay = wake.at === undefined ? 0 : Math.max(0, Math.round(wake.at - now()));
      const path = `/${objectName}/${encodeURIComponent(keyOf(wake))}/advance/send${delay > 0 ? `?delay=${delay}ms` : ""}`;
      const response = await agent.request({
        origin: ingressUrl,
        path,
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ epoch: wake.epoch }),
        // The agent's own limits begin when a connection is free: a dead engine would make the queue grow.
        signal: AbortSignal.timeout(5_000),
      });
      await response.body.dump();
      if (response.statusCode >= 300)
        throw Object.assign(new Error("the engine refused a message"), {
          code: `engine-${response.statusCode}`,
        });
    },
    close: () => agent.close(),
  };
}
