import {
  type AuthProvider,
  discoverAuthorizationServerMetadata,
  type FetchLike,
  OAuthError,
  type OAuthTokens,
  refreshAuthorization,
} from "@modelcontextprotocol/client";
import { CapabilityError } from "@paraph/core";
import { isSameIssuer } from "./discover-issuer.ts";
import type { LoginStore, StoredLogin } from "./login-store.ts";

/** The login settings of the configuration, with the client secret. */
export interface LoginTerms {
  readonly adapter: string;
  readonly server: URL;
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scope?: string;
}

export interface LoginTokensOptions {
  readonly terms: () => Promise<LoginTerms>;
  readonly store: LoginStore;
  readonly send: FetchLike;
  /** Receives every secret that Paraph uses, so that Paraph can redact the secret from output. */
  readonly keep: (secret: string) => void;
}

/**
 * [TRUST 8] A provider of the tokens of a person's login. It reads the tokens for each request, so that a refresh, a
 * login or a logout in another process takes effect immediately. It refreshes the tokens only at the confirmed issuer,
 * even if the server now names another issuer.
 */
export class LoginTokens implements AuthProvider {
  readonly #options: LoginTokensOptions;
  #handedOut: string | undefined;
  #refreshing: Promise<StoredLogin> | undefined;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LoginTokensOptions) {
    this.#options = options;
  }

  async token(): Promise<string> {
    const terms = await this.#options.terms();
    const login = requireMatchingLogin(await this.#options.store.read(), terms);
    const { accessToken } = isExpired(login) ? await this.#refreshed(login.accessToken) : login;
    this.#options.keep(accessToken);
    this.#handedOut = accessToken;
    return accessToken;
  }

  /**
   * Refreshes a token that the server rejects before the token expires. A minimum interval between refreshes prevents
   * endless refreshes if the server rejects every token.
   */
  async onUnauthorized(): Promise<void> {
    const refused = this.#handedOut;
    if (refused === undefined || performance.now() - this.#refusedAt < minRefreshIntervalMs) return;
    this.#refusedAt = performance.now();
    await this.#refreshed(refused);
  }

  #refreshed(spent: string): Promise<StoredLogin> {
    this.#refreshing ??= this.#refresh(spent).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(spent: string): Promise<StoredLogin> {
    const { store, send } = this.#options;
    const terms = await this.#options.terms();
    const refreshed = await store.withLock(async (kept, keep) => {
      const login = requireMatchingLogin(kept, terms);
      if (login.accessToken !== spent) return login;
      const tokens = await refreshTokens(login, terms, send);
      const next = tokens === "ended" ? expireLogin(login) : withTokens(login, tokens);
      keep(next);
      return next;
    });
    if (isExpired(refreshed) && refreshed.refreshToken === undefined) throw loginExpiredFault(terms);
    return refreshed;
  }
}

/** Returns the login with the new tokens. If the issuer sends no new refresh token, the login keeps the old one. */
export function withTokens(
  login: Omit<StoredLogin, "accessToken">,
  { access_token, refresh_token, expires_in, scope }: OAuthTokens,
): StoredLogin {
  const { expiresAt: _, ...rest } = login;
  return {
    ...rest,
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(expires_in !== undefined && { expiresAt: Date.now() + expires_in * 1_000 }),
    ...(scope !== undefined && { scope }),
  };
}

/** Removes the refresh token that the issuer rejected, so that it is not sent again. */
function expireLogin({ refreshToken: _, ...login }: StoredLogin): StoredLogin {
  return { ...login, expiresAt: 0 };
}

function isExpired({ expiresAt }: StoredLogin): boolean {
  return expiresAt !== undefined && Date.now() > expiresAt - expiryMarginMs;
}

/** [TRUST 8] Requires that the login is for the server, the issuer and the client in the configuration. */
function requireMatchingLogin(login: StoredLogin | undefined, terms: LoginTerms): StoredLogin {
  if (!login) throw loginNeededFault(terms, "There is no login for the MCP server");
  const fits =
    login.server === terms.server.href &&
    (terms.issuer === undefined || isSameIssuer(terms.issuer, login.issuer)) &&
    (terms.clientId === undefined || terms.clientId === login.client.id);
  if (!fits)
    throw loginNeededFault(
      terms,
      "The stored login does not match the server, issuer or client in the configuration",
    );
  return login;
}

async function refreshTokens(
  login: StoredLogin,
  terms: LoginTerms,
  send: FetchLike,
): Promise<OAuthTokens | "ended"> {
  const { issuer, refreshToken, client, resource } = login;
  if (refreshToken === undefined) return "ended";
  const secret = terms.clientSecret ?? client.secret;
  const signal = AbortSignal.timeout(refreshTimeoutMs);
  const fetchFn: FetchLike = (to, init) => send(to, { ...init, signal });
  try {
    const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
    if (!metadata) throw issuerUnavailableFault();
    return await refreshAuthorization(issuer, {
      metadata,
      refreshToken,
      fetchFn,
      clientInformation: { client_id: client.id, ...(secret !== undefined && { client_secret: secret }) },
      ...(resource !== undefined && { resource }),
    });
  } catch (error) {
    // The issuer's error code means that the refresh token was used up or revoked, or that the client is unknown. In
    // all these cases, a person must log in again.
    if (
      error instanceof OAuthError &&
      /^(invalid_grant|invalid_client|unauthorized_client)$/.test(error.code)
    )
      return "ended";
    // [P10] The fault does not quote the issuer's message, because the message may contain the secrets that Paraph
    // sent.
    throw issuerUnavailableFault();
  }
}

function loginExpiredFault(terms: LoginTerms): CapabilityError {
  return loginNeededFault(terms, "The login for the MCP server has expired");
}

function loginNeededFault({ adapter }: LoginTerms, why: string): CapabilityError {
  return new CapabilityError("permanent", "mcp-login-needed", `${why}. Run \`paraph mcp login ${adapter}\`.`);
}

function issuerUnavailableFault(): CapabilityError {
  return new CapabilityError(
    "not-performed",
    "mcp-issuer-unavailable",
    "The issuer of the MCP server's tokens does not respond correctly. Paraph will retry.",
  );
}

const expiryMarginMs = 10_000;
/** The timeout of a refresh. It is shorter than the time that other processes wait for the lock. */
const refreshTimeoutMs = 15_000;
const minRefreshIntervalMs = 30_000;
