import { createHash } from "node:crypto";
import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import { createHttpAgents, type HttpAgents } from "../egress/http-agents.ts";
import type { OauthClient } from "./config.ts";
import { type GrantedTokens, requestToken } from "./request-token.ts";

/** An access token. */
export interface AccessToken {
  readonly value: string;
  /** The servers that have accepted the token. */
  readonly acceptedBy: Set<string>;
}

interface CachedToken extends AccessToken {
  readonly usableUntil: number;
}

/**
 * [TRUST 8] Gets access tokens, and caches them in this process. It sends the secrets of a client only to the client's
 * token endpoint, and only if the egress policy allows the address.
 */
export class AccessTokens {
  readonly #folder: string;
  readonly #agents: HttpAgents;
  readonly #cached = new Map<string, CachedToken>();
  readonly #pending = new Map<string, Promise<AccessToken>>();

  /** `folder` is the folder of the configuration. */
  constructor({ folder, egress }: { readonly folder: string; readonly egress: EgressPolicy }) {
    this.#folder = folder;
    this.#agents = createHttpAgents(egress);
  }

  /** Returns a token that is valid for at least a minute, if the server issues such tokens. Concurrent callers share it. */
  get(client: OauthClient, signal: AbortSignal): Promise<AccessToken> {
    const key = digestOf(client);
    const cached = this.#cached.get(key);
    if (cached && Date.now() < cached.usableUntil) return Promise.resolve(cached);
    const pending = this.#pending.get(key) ?? this.#fetch(key, client);
    return waitUnlessAborted(pending, signal);
  }

  /**
   * Forgets a token that a server refused. Returns whether the server accepted it before, so that the token was probably
   * revoked and a new one may help.
   */
  reject(token: AccessToken, server: string): boolean {
    for (const [key, cached] of this.#cached) if (cached === token) this.#cached.delete(key);
    return token.acceptedBy.has(server);
  }

  close(): Promise<void> {
    return this.#agents.close();
  }

  /** Fetches a token for all callers that wait. None of their signals stops the request. */
  #fetch(key: string, client: OauthClient): Promise<AccessToken> {
    const fetched = this.#request(client).then(({ accessToken, lifetimeMs = 0 }) => {
      const now = Date.now();
      for (const [each, { usableUntil }] of this.#cached) if (usableUntil < now) this.#cached.delete(each);
      const usableUntil = now + lifetimeMs - expiryMarginMs;
      const token: CachedToken = { value: accessToken, acceptedBy: new Set(), usableUntil };
      this.#cached.set(key, token);
      return token;
    });
    const pending = fetched.finally(() => this.#pending.delete(key));
    this.#pending.set(key, pending);
    return pending;
  }

  /**
   * Uses the newest refresh token. A server may replace the refresh token with each answer and then refuse the earlier
   * one, so the replacement is on disk before any caller gets the access token.
   */
  async #request(client: OauthClient): Promise<GrantedTokens> {
    if (client.refreshToken === undefined) return requestToken(client, this.#agents);
    const store = await openStore(this.#folder, client);
    return store.withLock(async (stored, keep) => {
      const refreshToken = stored?.refreshToken ?? client.refreshToken;
      const granted = await requestToken({ ...client, refreshToken }, this.#agents);
      if (granted.refreshToken !== undefined && granted.refreshToken !== refreshToken)
        keep({ refreshToken: granted.refreshToken });
      return granted;
    });
  }
}

/**
 * Opens the store of the refresh token that replaced the configured one. Its name derives from the configured token, so
 * that a new login of an operator replaces what is stored.
 */
async function openStore(folder: string, { tokenUrl, clientId, refreshToken }: OauthClient) {
  const name = digestOf({ tokenUrl, clientId, refreshToken });
  // Loads SQLite only if there is a refresh token.
  const { LockedValue } = await import("../locked-value.ts");
  return new LockedValue({
    path: join(folder, ".paraph", "oauth-tokens", `${name}.sqlite`),
    schema: z.strictObject({ refreshToken: z.string() }),
    unusableFault: () =>
      new CapabilityError(
        "permanent",
        "oauth-store-unusable",
        "Paraph cannot read or write `.paraph/oauth-tokens`, where it keeps new refresh tokens. Check the permissions of the folder.",
      ),
    busyFault: () =>
      new CapabilityError(
        "not-performed",
        "oauth-store-busy",
        "Another process held the refresh token for too long. Try again later.",
      ),
  });
}

function digestOf({ tokenUrl, clientId, clientSecret, refreshToken, scope }: OauthClient): string {
  const parts = [tokenUrl, clientId, clientSecret, refreshToken, scope].map((part) => part ?? null);
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

async function waitUnlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = () =>
    stopped.reject(
      new CapabilityError(
        "not-performed",
        "stopped",
        "Paraph stopped the call before it had an access token.",
      ),
    );
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A token is replaced this long before its expiry. */
const expiryMarginMs = 60_000;
