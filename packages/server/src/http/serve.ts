import type { Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { BudgetKeeper } from "../services/budgets.ts";
import type { ParaphService } from "../services/paraph-service.ts";
import type { Pages } from "../web/pages/pages-interface.ts";
import type { ConsoleFiles } from "../web/routes/console.ts";
import { createApp } from "./app.ts";
import type { InboundRoute, LogLine, RunInSpan } from "./context.ts";
import type { McpHandler, TokenSource } from "./mcp-handler.ts";

const shutdownTimeoutMs = 5_000;
/**
 * The time for which an idle connection stays open. It is longer than the 60 seconds of common load balancers. Otherwise
 * a client can send a request over a connection that the server is closing, and gets no response.
 */
const keepAliveMs = 75_000;

/** The options of `serveHttp`. */
export interface HttpOptions {
  readonly service: ParaphService;
  readonly pages: Pages;
  /** The files of the console. Without them, the server has only the pages without scripts. */
  readonly consoleFiles?: ConsoleFiles | undefined;
  readonly mcp?: McpHandler;
  readonly tokens?: TokenSource;
  /** The paths at which other services send requests that they sign. */
  readonly inbound?: readonly InboundRoute[];
  readonly allowsPlainLogin?: boolean;
  /** The address at which people and agents reach the server, if it differs from the one that it listens on. */
  readonly publicUrl?: string | undefined;
  /** The address to listen on (default: 127.0.0.1). */
  readonly host?: string;
  /** The port to listen on. With 0, the system chooses a free port. */
  readonly port: number;
  /** The certificate with its chain and the private key, as PEM. Without it, the server speaks plain HTTP. */
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
  readonly log: (line: LogLine) => void;
  /** Counts a request, other than a health probe, by the status of its response. */
  readonly countRequest?: (status: number) => void;
  readonly budgets?: BudgetKeeper;
  readonly runInSpan?: RunInSpan;
  /** Returns a short code for an error, never its message. */
  readonly toErrorCode?: (error: unknown) => string;
}

/** A running HTTP server. */
export interface HttpServer {
  readonly url: string;
  /** Ends streams and waiting requests, gives running requests five seconds to finish, then closes the server. */
  stop(): Promise<void>;
}

/** Starts the HTTP server and resolves when it listens. */
export async function serveHttp({
  host = "127.0.0.1",
  port,
  tls,
  ...parts
}: HttpOptions): Promise<HttpServer> {
  const stopping = new AbortController();
  const app = createApp({ ...parts, host, stopping: stopping.signal });
  // Keeps Node's global objects, because other code in this process uses them.
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    ...(tls && { createServer: createTlsServer, serverOptions: { cert: tls.certificate, key: tls.key } }),
  }) as Server;
  server.keepAliveTimeout = keepAliveMs;
  await listen(server, host, port);
  const { port: actual } = server.address() as AddressInfo;
  let stopped: Promise<void> | undefined;
  return {
    url: `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    stop: () => {
      stopping.abort();
      stopped ??= closeServer(server);
      return stopped;
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const last = setTimeout(() => server.closeAllConnections(), shutdownTimeoutMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(last);
      resolve();
    });
  });
}
