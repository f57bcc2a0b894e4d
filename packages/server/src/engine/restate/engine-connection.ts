import { Agent } from "undici";

/** A response of the engine. */
export interface EngineResponse {
  readonly status: number;
  readonly text: string;
}

/**
 * An HTTP connection to the engine's ingress or admin API, over TCP (`http://host:port`) or a Unix socket
 * (`unix:/path/admin.sock`).
 */
export interface EngineConnection {
  request(method: string, path: string, body?: object, signal?: AbortSignal): Promise<EngineResponse>;
  close(): Promise<void>;
}

/** Limits of an engine connection. */
export interface EngineConnectionOptions {
  readonly timeoutMs?: number;
  /** The maximum size of a response. A larger response fails the request. */
  readonly maxBytes?: number;
}

/** Returns the origin and the socket path that an HTTP client needs for this address. */
export function parseEngineUrl(url: string): { readonly origin: string; readonly socketPath?: string } {
  const socketPath = /^unix:(\/.+)$/.exec(url)?.[1];
  return socketPath === undefined
    ? { origin: new URL(url).origin }
    : { origin: "http://localhost", socketPath };
}

/** Creates a connection to the engine at this address. */
export function createEngineConnection(
  url: string,
  { timeoutMs = 5_000, maxBytes = 1 << 20 }: EngineConnectionOptions = {},
): EngineConnection {
  const { origin, socketPath } = parseEngineUrl(url);
  const agent = new Agent({
    keepAliveTimeout: 30_000,
    connections: 16,
    pipelining: 1,
    maxResponseSize: maxBytes,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    ...(socketPath !== undefined && { connect: { socketPath } }),
  });
  return {
    async request(method, path, body, signal) {
      // The agent's own timeouts start only when a connection is free. Without this limit, requests to a dead engine
      // would queue up.
      const limit = AbortSignal.timeout(timeoutMs);
      const response = await agent.request({
        origin,
        path,
        method: method as "GET",
        headers: { accept: "application/json", ...(body && { "content-type": "application/json" }) },
        body: body ? JSON.stringify(body) : null,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      return { status: response.statusCode, text: await response.body.text() };
    },
    close: () => agent.close(),
  };
}
