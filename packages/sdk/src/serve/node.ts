/// <reference types="node" />
// biome-ignore lint/correctness/noNodejsModules: the one file of the SDK that is for Node alone, with an entry of its own.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createHandler, type Handler } from "./handler.ts";
import { createService, type ServingOptions } from "./service.ts";

/** The options of `serve`. */
export interface ServeOptions extends ServingOptions {
  /** The port to listen on (default: any free port). */
  readonly port?: number;
  /**
   * The address to listen on (default: loopback). If you use another address, put a TLS proxy in front of the service.
   */
  readonly host?: string;
}

/** A running service. */
export interface RunningService {
  /** The URL of the service on this machine. */
  readonly url: string;
  /** The public key of the service, for Paraph's configuration. */
  readonly publicKey: string;
  /** The digest over all served contracts. Paraph's configuration may pin it. */
  readonly digest: string;
  /** Stops accepting requests, and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Serves capabilities from this Node process. */
export async function serve({
  port = 0,
  host = "127.0.0.1",
  ...options
}: ServeOptions): Promise<RunningService> {
  const service = await createService(options);
  const handle = createHandler(service);
  const server = createServer({ requestTimeout: 30_000 }, (incoming, outgoing) => {
    handleIncoming(incoming, outgoing, handle).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;
  const shown = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  return {
    url: `http://${shown}:${bound.port}`,
    publicKey: service.signer.publicKey.x,
    digest: service.digest,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function handleIncoming(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: Handler,
): Promise<void> {
  const { method = "GET", url = "/", headers } = incoming;
  const request = new Request(new URL(url.startsWith("/") ? url : "/", "http://service"), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as [string, string]] : [],
    ),
    ...(method === "POST" && { body: incoming as never, duplex: "half" as const }),
  });
  const response = await handle(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).flushHeaders();
  const lines = response.body!.getReader();
  // [P15] Runs when the caller disconnects, for example at its deadline or because it died. Cancelling the stream
  // aborts the signal of the running attempt.
  const hangUp = () => void lines.cancel().catch(() => {});
  if (outgoing.destroyed) hangUp();
  else outgoing.once("close", hangUp);
  for (let next = await lines.read(); !next.done; next = await lines.read()) outgoing.write(next.value);
  outgoing.end();
}
