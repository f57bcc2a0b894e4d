import {
  type AuthProvider,
  type FetchLike,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { fetch, type RequestInit } from "undici";
import { type Ways, waysWithin } from "../../outbound/connect.ts";
import { reachOf } from "../../outbound/reach.ts";
import { longestMessage } from "./process-transport.ts";

export interface Host {
  readonly url: URL;
  readonly tokens?: OAuthClientProvider | AuthProvider;
  /** With its secrets in place, asked for at every request: they may have been exchanged meanwhile. */
  headers(): Promise<Readonly<Record<string, string>>>;
}

/** [TRUST 17] The operator named these hosts, so their addresses may be private; no other private one is reached. */
export function waysTo(...named: readonly URL[]): Ways {
  const portOf = ({ port, protocol }: URL) => port || (protocol === "https:" ? "443" : "80");
  return waysWithin(reachOf(named.map((url) => `${url.hostname}:${portOf(url)}`)));
}

/** Streamable HTTP. [TRUST 8] What is sent along is what is configured here: nothing of whoever asked. */
export function httpTransport({ url, headers, tokens }: Host, ways: Ways): Transport {
  const send = fetchThrough(ways);
  const sendOurs: FetchLike = async (to, init = {}) => {
    const own = isServer(to, url) ? await headers() : {};
    return send(to, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...own } });
  };
  return new StreamableHTTPClientTransport(url, {
    ...{ fetch: sendOurs, onInsufficientScope: "throw" },
    ...(tokens && { authProvider: tokens }),
  });
}

/** [TRUST 17] What the SDK sends leaves by the one way out. */
export function fetchThrough(ways: Ways): FetchLike {
  return async (to, init = {}) => {
    const response = await fetch(to, {
      ...(init as unknown as RequestInit),
      headers: { ...Object.fromEntries(new Headers(init.headers)), "user-agent": "paraph" },
      dispatcher: mayChange(init.body) ? ways.writing : ways.reading,
    });
    return bounded(response as unknown as Response);
  };
}

/** Metadata and tokens are asked for elsewhere, perhaps at the same host: our headers are not for them. */
function isServer(to: string | URL, { origin, pathname }: URL): boolean {
  const url = new URL(to);
  return url.origin === origin && url.pathname === pathname;
}

/** A call, or the use of a refresh token: on a connection that lay idle it could be lost without anybody knowing. */
function mayChange(body: unknown): boolean {
  return typeof body === "string" ? body.includes('"tools/call"') : body !== undefined && body !== null;
}

/** [TRUST 24] An answer that does not end is broken off. */
function bounded(response: Response): Response {
  if (!response.body) return response;
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > longestMessage) controller.error(new Error("The MCP server's answer does not end."));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}
