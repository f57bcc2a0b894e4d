import {
  type FetchLike,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { fetch, type RequestInit } from "undici";
import { type Ways, waysWithin } from "../../outbound/connect.ts";
import { reachOf } from "../../outbound/reach.ts";
import { bounded, post } from "./post.ts";

export interface Host {
  readonly url: URL;
  readonly tokens?: OAuthClientProvider;
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
  const send: FetchLike = async (to, init = {}) => {
    const own = isServer(to, url) ? await headers() : {};
    const all = { ...Object.fromEntries(new Headers(init.headers)), ...own, "user-agent": "paraph" };
    if (init.method === "POST" && typeof init.body === "string" && isServer(to, url))
      return post({ to, headers: all, body: init.body, signal: init.signal ?? undefined }, ways);
    const response = await fetch(to, {
      ...(init as unknown as RequestInit),
      ...{ headers: all, dispatcher: ways.reading },
    });
    return bounded(response as unknown as Response);
  };
  return new StreamableHTTPClientTransport(url, {
    ...{ fetch: send, onInsufficientScope: "throw" },
    ...(tokens && { authProvider: tokens }),
  });
}

/** Metadata and tokens are asked for elsewhere, perhaps at the same host: our headers are not for them. */
function isServer(to: string | URL, { origin, pathname }: URL): boolean {
  const url = new URL(to);
  return url.origin === origin && url.pathname === pathname;
}
