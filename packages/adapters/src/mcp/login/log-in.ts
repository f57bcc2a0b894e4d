import { randomBytes } from "node:crypto";
import {
  exchangeAuthorization,
  type FetchLike,
  type OAuthClientInformationMixed,
  registerClient,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { CapabilityError } from "@paraph/core";
import { type DiscoveredIssuer, discoverIssuer, isSameIssuer } from "./discover-issuer.ts";
import type { LoginStore } from "./login-store.ts";
import { type LoginTerms, withTokens } from "./login-tokens.ts";

/** A login that no person has confirmed. So far, Paraph has only read the issuer's metadata. */
export interface LoginFlow {
  readonly issuer: string;
  /** Whether the operator configured the issuer. Otherwise a person must confirm it. */
  readonly isNamed: boolean;
  /** The issuer of the previous login, if it differs from the issuer of this login. */
  readonly issuerBefore?: string;
  readonly scope?: string;
  /** Starts the authorization. `redirect` is the URL to which the issuer sends the browser back. */
  begin(redirect: URL): Promise<StartedLogin>;
}

/** A login that waits for the issuer's response. */
export interface StartedLogin {
  /** The URL for a person to open in a browser. */
  readonly url: string;
  /**
   * Whether the query is the issuer's response to this login. The check is needed because another web page may forge a
   * response.
   */
  isAnswer(query: URLSearchParams): boolean;
  /** Exchanges the response for tokens and stores them. */
  finish(query: URLSearchParams): Promise<{ readonly lasts: boolean }>;
}

export interface LogInOptions {
  readonly terms: LoginTerms;
  readonly store: LoginStore;
  readonly send: FetchLike;
}

/**
 * Starts the authorization code flow of MCP. The flow uses PKCE and `state`, checks `iss`, and requests a token for
 * this one server.
 */
export async function startLogin({ terms, store, send }: LogInOptions): Promise<LoginFlow> {
  const named = await discoverIssuer(terms.server, terms.issuer, send);
  const { issuer, metadata, resource } = named;
  const scope = chooseScope(terms, named);
  const before = await store.read();
  const [forResource, forScope] = [
    resource === undefined ? {} : { resource },
    scope === undefined ? {} : { scope },
  ];
  return {
    issuer,
    isNamed: terms.issuer !== undefined,
    ...forScope,
    ...(before && !isSameIssuer(before.issuer, issuer) && { issuerBefore: before.issuer }),
    async begin(redirect) {
      const client = await resolveClient(terms, named, redirect, send);
      const state = randomBytes(32).toString("base64url");
      const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
        metadata,
        clientInformation: client,
        redirectUrl: redirect,
        state,
        ...forScope,
        ...forResource,
      });
      const isAnswer = (query: URLSearchParams) => query.get("state") === state;
      return {
        url: authorizationUrl.href,
        isAnswer,
        async finish(query) {
          const authorizationCode = query.get("code");
          if (!isAnswer(query) || authorizationCode === null) throw loginRefusedFault(query.get("error"));
          const iss = query.get("iss");
          const tokens = await exchangeAuthorization(issuer, {
            metadata,
            clientInformation: client,
            authorizationCode,
            codeVerifier,
            fetchFn: send,
            redirectUri: redirect,
            ...(iss !== null && { iss }),
            ...forResource,
          }).catch(() => {
            throw loginRefusedFault(null);
          });
          const { client_id, client_secret } = client;
          const ownSecret =
            terms.clientSecret === undefined && client_secret !== undefined ? { secret: client_secret } : {};
          const about = { server: terms.server.href, issuer, ...forResource, ...forScope };
          const login = withTokens({ ...about, client: { id: client_id, ...ownSecret } }, tokens);
          await store.withLock(async (_, keep) => keep(login));
          return { lasts: login.refreshToken !== undefined || login.expiresAt === undefined };
        },
      };
    },
  };
}

/**
 * Returns the scope to request. The function adds `offline_access` if the issuer supports it. Without this scope, many
 * issuers give no refresh token, and the login would expire within an hour.
 */
function chooseScope(terms: LoginTerms, { scope, metadata }: DiscoveredIssuer): string | undefined {
  const wanted = terms.scope ?? scope;
  if (wanted === undefined || !metadata.scopes_supported?.includes("offline_access")) return wanted;
  return [...new Set([...wanted.split(" "), "offline_access"])].join(" ");
}

/**
 * Returns the configured client, or registers a new one if none is configured. The id of a configured client may be the
 * URL of a client metadata document.
 */
async function resolveClient(
  { clientId, clientSecret }: LoginTerms,
  { issuer, metadata }: DiscoveredIssuer,
  redirect: URL,
  send: FetchLike,
): Promise<OAuthClientInformationMixed> {
  if (clientId !== undefined)
    return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
  if (!metadata.registration_endpoint)
    throw new CapabilityError(
      "permanent",
      "mcp-client-needed",
      `The issuer does not support client registration. Create a client there with the redirect URL \`${redirect.origin}${redirect.pathname}\`, and set \`clientId\`.`,
    );
  const { token_endpoint_auth_methods_supported = [] } = metadata;
  const clientMetadata = {
    client_name: "Paraph",
    redirect_uris: [redirect.href],
    application_type: "native" as const,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method:
      token_endpoint_auth_methods_supported.length === 0 ||
      token_endpoint_auth_methods_supported.includes("none")
        ? "none"
        : token_endpoint_auth_methods_supported[0]!,
  };
  return registerClient(issuer, { metadata, clientMetadata, fetchFn: send }).catch(() => {
    throw new CapabilityError(
      "permanent",
      "mcp-client-needed",
      "The issuer rejected the client registration. Create a client there, and set `clientId`.",
    );
  });
}

/**
 * [P10] Creates the fault for a rejected login. The fault quotes the issuer's error text only if the text has the form
 * of an error code.
 */
function loginRefusedFault(error: string | null): CapabilityError {
  const code = error !== null && /^[a-z_]{1,40}$/.test(error) ? ` (\`${error}\`)` : "";
  return new CapabilityError(
    "permanent",
    "mcp-login-refused",
    `The issuer did not complete the login${code}. Paraph stored nothing. Start the login again.`,
  );
}
