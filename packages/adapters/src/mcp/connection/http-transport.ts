import {
  type AuthProvider,
  type FetchLike,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { fetch, type RequestInit } from "undici";
import { createPolicyForHosts } from "../../egress/egress-policy.ts";
import { createHttpAgents, type HttpAgents } from "../../egress/http-agents.ts";
import { limitResponse, postMessage } from "./post-message.ts";

export interface HttpServerTarget {
  readonly url: URL;
  readonly tokens?: OAuthClientProvider | AuthProvider;
  /**
   * Returns the headers with their secrets. It is called for every request, because the secrets may have been rotated.
   */
  headers(): Promise<Readonly<Record<string, string>>>;
}

/** [TRUST 17] Creates agents that may reach these hosts at private addresses. */
export function createAgentsFor(...named: readonly URL[]): HttpAgents {
  return createHttpAgents(createPolicyForHosts(...named));
}

/**
 * Creates a transport for streamable HTTP. [TRUST 8] It sends only configured headers and nothing from the requester.
 */
export function createHttpTransport(
  { url, headers, tokens }: HttpServerTarget,
  agents: HttpAgents,
): Transport {
  const sendElsewhere = createFetch(agents);
  const send: FetchLike = async (to, init = {}) => {
    if (!isServerUrl(to, url)) return sendElsewhere(to, init);
    const all = { ...Object.fromEntries(new Headers(init.headers)), ...(await headers()) };
    const { body, signal } = init;
    if (init.method !== "POST" || typeof body !== "string")
      return sendElsewhere(to, { ...init, headers: all });
    return postMessage(
      { to, headers: { ...all, "user-agent": "paraph" }, body, signal: signal ?? undefined },
      agents,
    );
  };
  return new StreamableHTTPClientTransport(url, {
    fetch: send,
    onInsufficientScope: "throw",
    ...(tokens && { authProvider: tokens }),
  });
}

/** [TRUST 17] Creates a `fetch` for the MCP SDK that uses the restricted agents. */
export function createFetch(agents: HttpAgents): FetchLike {
  return async (to, init = {}) => {
    const response = await fetch(to, {
      ...(init as unknown as RequestInit),
      headers: { ...Object.fromEntries(new Headers(init.headers)), "user-agent": "paraph" },
      // A request with a body may use up a refresh token. An idle connection could lose such a request unnoticed, so
      // the request uses the write agent.
      dispatcher: init.body === undefined || init.body === null ? agents.readAgent : agents.writeAgent,
    });
    return limitResponse(response as unknown as Response);
  };
}

/**
 * Whether a URL is the server's own. Requests for metadata and tokens go to other URLs and must not carry the
 * configured headers.
 */
function isServerUrl(to: string | URL, { origin, pathname }: URL): boolean {
  const url = to instanceof URL ? to : new URL(to);
  return url.origin === origin && url.pathname === pathname;
}
