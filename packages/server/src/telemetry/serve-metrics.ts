import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The address at which Prometheus reads metrics, and a supervisor reads the health of the process. */
export interface MetricsAddress {
  /** The address to listen on. */
  readonly host?: string;
  /** The port to listen on. */
  readonly port: number;
}

/** The contents of the port for operators. */
interface OperatorViews {
  readonly metrics: () => Promise<string>;
  /** Returns which parts of the process work. */
  readonly checkHealth: () => Promise<Readonly<Record<string, boolean>>>;
}

/**
 * [TRUST 16] Serves `/metrics` on a separate port, because callers of the API must not see the metrics. Metrics name
 * every tenant's capabilities and their load. The same port serves `/healthz` and `/readyz`, because a process that is
 * only a worker has no API.
 */
export async function serveMetrics(
  { host = "127.0.0.1", port }: MetricsAddress,
  { metrics, checkHealth }: OperatorViews,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer(async ({ method, url }, response) => {
    const writeJson = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (method === "GET" && url === "/metrics")
      response
        .writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" })
        .end(await metrics());
    else if (method === "GET" && url === "/healthz") writeJson(200, { status: "up" });
    else if (method === "GET" && url === "/readyz") {
      const parts = await checkHealth().catch(() => ({ health: false }));
      const failing = Object.entries(parts).flatMap(([part, works]) => (works ? [] : [part]));
      if (failing.length === 0) writeJson(200, { status: "ready", parts });
      else writeJson(503, { code: "not-ready", failing });
    } else response.writeHead(404).end();
  });
  await listen(server, host, port);
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}/metrics`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}
