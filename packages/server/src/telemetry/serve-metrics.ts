import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The address at which Prometheus reads metrics. */
export interface MetricsAddress {
  /** The address to listen on. */
  readonly host?: string;
  /** The port to listen on. */
  readonly port: number;
}

/**
 * [TRUST 16] Serves `/metrics` on a separate port, because callers of the API must not see the metrics. Metrics name
 * every tenant's capabilities and their load.
 */
export async function serveMetrics(
  { host = "127.0.0.1", port }: MetricsAddress,
  text: () => Promise<string>,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") return void response.writeHead(404).end();
    const said = await text();
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(said);
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
