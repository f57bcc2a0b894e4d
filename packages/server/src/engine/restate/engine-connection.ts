import { Agent } from "undici";

/** An answer of the engine. */
export interface EngineResponse {
  readonly status: number;
  readonly text: string;
}

/** HTTP to one of the engine's two doors, over TCP (`http://host:port`) or over a socket file (`unix:/path/admin.sock`). */
export interface EngineConnection {
  request(method: string, path: string, body?: object, signal?: AbortSignal): Promise<EngineResponse>;
  close(): Promise<void>;
}

export interface EngineConnectionOptions {
  readonly timeoutMs?: number;
  /** An answer beyond this is broken off. */
  readonly maxBytes?: number;
}

/** The origin and the socket file that an HTTP client needs for this address. */
export function parseEngineUrl(url: string): { readonly origin: string; readonly socketPath?: string } {
  const socketPath = /^unix:(\/.+)$/.exec(url)?.[1];
  return socketPath === undefined
    ? { origin: new URL(url).origin }
    : { origin: "http://localhost", socketPath };
}

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
      // The agent's own limits begin when a connection is free: a dead engine would make the queue grow.
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
