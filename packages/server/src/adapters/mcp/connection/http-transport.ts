import {
  type AuthProvider,
  type FetchLike,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { fetch, type RequestInit } from "undici";
import { createEgressPolicy } from "../../../outbound/egress-policy.ts";
import { createHttpAgents, type HttpAgents } from "../../../outbound/http-agents.ts";
import { limitResponse, postMessage } from "./post-message.ts";

export interface HttpServerTarget {
  readonly url: URL;
  readonly tokens?: OAuthClientProvider | AuthProvider;
  /** With its secrets in place, asked for at every request: they may have been exchanged meanwhile. */
  headers(): Promise<Readonly<Record<string, string>>>;
}

/** [TRUST 17] The operator named these hosts, so their addresses may be private; no other private one is reached. */
export function createAgentsFor(...named: readonly URL[]): HttpAgents {
  const portOf = ({ port, protocol }: URL) => port || (protocol === "https:" ? "443" : "80");
  return createHttpAgents(createEgressPolicy(named.map((url) => `${url.hostname}:${portOf(url)}`)));
}

/** Streamable HTTP. [TRUST 8] What is sent along is what is configured here: nothing of whoever asked. */
export function createHttpTransport({ url, headers, tokens }: HttpServerTarget, ways: HttpAgents): Transport {
  const sendElsewhere = createFetch(ways);
  const send: FetchLike = async (to, init = {}) => {
    if (!isServerUrl(to, url)) return sendElsewhere(to, init);
    const all = { ...Object.fromEntries(new Headers(init.headers)), ...(await headers()) };
    const { body, signal } = init;
    if (init.method !== "POST" || typeof body !== "string")
      return sendElsewhere(to, { ...init, headers: all });
    return postMessage(
      { to, headers: { ...all, "user-agent": "paraph" }, body, signal: signal ?? undefined },
      ways,
    );
  };
  return new StreamableHTTPClientTransport(url, {
    fetch: send,
    onInsufficientScope: "throw",
    ...(tokens && { authProvider: tokens }),
  });
}

/** [TRUST 17] What the SDK sends leaves by the one way out. */
export function createFetch(ways: HttpAgents): FetchLike {
  return async (to, init = {}) => {
    const response = await fetch(to, {
      ...(init as unknown as RequestInit),
      headers: { ...Object.fromEntries(new Headers(init.headers)), "user-agent": "paraph" },
      // The use of a refresh token, say: on a connection that lay idle it could be lost without anybody knowing.
      dispatcher: init.body === undefined || init.body === null ? ways.readAgent : ways.writeAgent,
    });
    return limitResponse(response as unknown as Response);
  };
}

/** Metadata and tokens are asked for elsewhere, perhaps at the same host: our headers are not for them. */
function isServerUrl(to: string | URL, { origin, pathname }: URL): boolean {
  const url = to instanceof URL ? to : new URL(to);
  return url.origin === origin && url.pathname === pathname;
}
