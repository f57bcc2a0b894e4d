import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
} from "@modelcontextprotocol/client";
import { CapabilityError } from "@paraph/core";
import { isSecureAddress } from "../../egress/secure-address.ts";

/** The issuer that an MCP server names for logins. It is only a claim until a person confirms it. */
export interface DiscoveredIssuer {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource (RFC 8707) that the tokens are valid for. */
  readonly resource?: string;
  readonly scope?: string;
}

/**
 * Discovers the issuer (RFC 9728) and its metadata (RFC 8414 or OpenID discovery). If the configuration names an
 * issuer, `expected` is that issuer, and the function accepts no other.
 */
export async function discoverIssuer(
  server: URL,
  expected: string | undefined,
  send: FetchLike,
): Promise<DiscoveredIssuer> {
  const challenge = await readChallenge(server, send);
  const resource = await readResourceMetadata(server, challenge?.resourceMetadataUrl, send);
  if (!challenge && !resource)
    throw loginImpossibleFault("The MCP server requires no login. Remove `oauth` from its configuration");
  // A server that is older than RFC 9728 names no issuer, so Paraph uses the server itself as the issuer.
  const named = resource?.authorization_servers ?? [server.origin];
  const issuer = expected === undefined ? named[0] : named.find((each) => isSameIssuer(each, expected));
  if (issuer === undefined) throw issuerMismatchFault();
  const metadata = await readIssuerMetadata(issuer, send);
  const scope = challenge?.scope ?? resource?.scopes_supported?.join(" ");
  return {
    issuer,
    metadata,
    ...(resource && { resource: resource.resource }),
    ...(scope !== undefined && scope !== "" && { scope }),
  };
}

export function isSameIssuer(one: string, another: string): boolean {
  return one.replace(/\/$/, "") === another.replace(/\/$/, "");
}

/** Returns the server's challenge to a request without a token, or undefined if the server accepts the request. */
async function readChallenge(server: URL, send: FetchLike) {
  const response = await send(server, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  }).catch(() => {
    throw loginImpossibleFault("Paraph cannot reach the MCP server. Check its URL");
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : undefined;
}

async function readResourceMetadata(server: URL, at: URL | undefined, send: FetchLike) {
  const resource = await discoverOAuthProtectedResourceMetadata(
    server,
    at ? { resourceMetadataUrl: at } : {},
    send,
  ).catch(() => undefined);
  // Without this check, a server could make Paraph fetch tokens for another server, and could then use these tokens at
  // that other server.
  if (resource && !checkResourceAllowed({ requestedResource: server, configuredResource: resource.resource }))
    throw loginImpossibleFault(
      "The MCP server's metadata is for a different URL than the configured one. Check the URL in the configuration",
    );
  return resource;
}

async function readIssuerMetadata(issuer: string, send: FetchLike): Promise<AuthorizationServerMetadata> {
  if (!isSecureAddress(issuer))
    throw loginImpossibleFault(
      "The MCP server names an issuer with a plain http address, and Paraph logs in only over https",
    );
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: send }).catch(
    () => undefined,
  );
  if (!metadata)
    throw loginImpossibleFault(
      "Paraph found no metadata at the issuer that the MCP server names. If the issuer is in your own network, set it as `issuer`",
    );
  if (!isSecureAddress(metadata.authorization_endpoint))
    throw loginImpossibleFault("The issuer's login page uses plain http, and Paraph logs in only over https");
  // Rejects an issuer without PKCE, because an intercepted authorization code would then be enough to get the tokens.
  if (!metadata.code_challenge_methods_supported?.includes("S256"))
    throw loginImpossibleFault("The issuer does not support PKCE with S256, which Paraph requires");
  return metadata;
}

function loginImpossibleFault(why: string): CapabilityError {
  return new CapabilityError("permanent", "mcp-login-impossible", `${why}. The login was not started.`);
}

function issuerMismatchFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "mcp-issuer-other",
    "The MCP server does not name the configured issuer. Ask the server's operator for the correct issuer, then change `issuer`.",
  );
}
