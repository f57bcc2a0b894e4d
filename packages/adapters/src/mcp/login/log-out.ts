import {
  discoverAuthorizationServerMetadata,
  type FetchLike,
  selectClientAuthMethod,
} from "@modelcontextprotocol/client";
import { isSecureAddress } from "../../egress/secure-address.ts";
import type { LoginStore, StoredLogin } from "./login-store.ts";
import type { LoginTerms } from "./login-tokens.ts";

/**
 * The result of a logout. `forgotten` means that Paraph deleted the tokens but could not revoke them, so they may still
 * be valid.
 */
export type LogoutResult = "nobody" | "revoked" | "forgotten";

/** Revokes the tokens at their issuer (RFC 7009), and deletes them even if the revocation fails. */
export function logOut(terms: LoginTerms, store: LoginStore, send: FetchLike): Promise<LogoutResult> {
  return store.withLock(async (login, keep) => {
    if (!login) return "nobody";
    const told = await revokeTokens(login, terms, send).catch(() => false);
    keep(undefined);
    return told ? "revoked" : "forgotten";
  });
}

async function revokeTokens(
  login: StoredLogin,
  { clientSecret }: LoginTerms,
  send: FetchLike,
): Promise<boolean> {
  const metadata = await discoverAuthorizationServerMetadata(login.issuer, { fetchFn: send });
  const endpoint = metadata && "revocation_endpoint" in metadata ? metadata.revocation_endpoint : undefined;
  if (typeof endpoint !== "string" || !isSecureAddress(endpoint)) return false;
  const { id, secret = clientSecret } = login.client;
  const { method, headers } = createAuthentication(
    { id, secret },
    metadata?.token_endpoint_auth_methods_supported ?? [],
  );
  // Prefers the refresh token, because revoking it also revokes the access tokens made from it.
  const token = login.refreshToken ?? login.accessToken;
  const hint = login.refreshToken === undefined ? "access_token" : "refresh_token";
  const response = await send(endpoint, {
    method: "POST",
    redirect: "manual",
    headers,
    body: new URLSearchParams({
      token,
      token_type_hint: hint,
      client_id: id,
      ...(method === "client_secret_post" && { client_secret: secret! }),
    }),
  });
  await response.body?.cancel();
  return response.ok;
}

function createAuthentication({ id, secret }: { id: string; secret: string | undefined }, known: string[]) {
  if (secret === undefined) return { method: "none", headers: {} } as const;
  const method = selectClientAuthMethod({ client_id: id, client_secret: secret }, known);
  const basic = [id, secret].map(encodeURIComponent).join(":");
  const headers =
    method === "client_secret_basic"
      ? { authorization: `Basic ${Buffer.from(basic).toString("base64")}` }
      : {};
  return { method, headers };
}
