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
import { bounded, post } from "./post.ts";

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
  const sendElsewhere = fetchThrough(ways);
  const send: FetchLike = async (to, init = {}) => {
    if (!isServer(to, url)) return sendElsewhere(to, init);
    const all = { ...Object.fromEntries(new Headers(init.headers)), ...(await headers()) };
    const { body, signal } = init;
    if (init.method !== "POST" || typeof body !== "string")
      return sendElsewhere(to, { ...init, headers: all });
    return post({ to, headers: { ...all, "user-agent": "paraph" }, body, signal: signal ?? undefined }, ways);
  };
  return new StreamableHTTPClientTransport(url, {
    fetch: send,
    onInsufficientScope: "throw",
    ...(tokens && { authProvider: tokens }),
  });
}

/** [TRUST 17] What the SDK sends leaves by the one way out. */
export function fetchThrough(ways: Ways): FetchLike {
  return async (to, init = {}) => {
    const response = await fetch(to, {
      ...(init as unknown as RequestInit),
      headers: { ...Object.fromEntries(new Headers(init.headers)), "user-agent": "paraph" },
      // The use of a refresh token, say: on a connection that lay idle it could be lost without anybody knowing.
      dispatcher: init.body === undefined || init.body === null ? ways.reading : ways.writing,
    });
    return bounded(response as unknown as Response);
  };
}

/** Metadata and tokens are asked for elsewhere, perhaps at the same host: our headers are not for them. */
function isServer(to: string | URL, { origin, pathname }: URL): boolean {
  const url = to instanceof URL ? to : new URL(to);
  return url.origin === origin && url.pathname === pathname;
}
