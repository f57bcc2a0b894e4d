import { createHash } from "node:crypto";
import type { Caller, Principal } from "@paraph/core";
import type { OidcConfig } from "./config.ts";
import type { OidcIssuer } from "./issuer.ts";
import { type VerifiedToken, verifyToken } from "./verify-token.ts";

export interface BearerAuthenticatorOptions {
  /** Whose API key this is. */
  readonly findKey: (key: string) => Promise<Caller | undefined>;
  readonly tokens?: { readonly oidc: OidcConfig; readonly issuer: OidcIssuer; readonly find: FindPrincipal };
  /** Follows the database's clock; may be set. */
  readonly now: () => number;
  /** Only ever forwards. */
  readonly monotonicNow: () => number;
}

/** The principal that a subject of the issuer stands for. */
export type FindPrincipal = (
  subject: string,
  groups?: { readonly names: readonly string[]; readonly at: number },
) => Promise<Principal | undefined>;

/** Who sends this bearer: an API key of ours, or a token of the issuer's. */
export function createBearerAuthenticator(
  authentication: BearerAuthenticatorOptions,
): (bearer: string) => Promise<Caller | undefined> {
  const { findKey: key, tokens, now } = authentication;
  return cacheCallers(async (bearer) => {
    if (bearer.startsWith("paraph_")) return key(bearer);
    if (!tokens) return undefined;
    const proven = await verifyToken(bearer, { ...tokens, now });
    return proven && toCaller(proven, tokens.find);
  }, authentication);
}

async function toCaller(proven: VerifiedToken, find: FindPrincipal): Promise<Caller | undefined> {
  const principal = await resolvePrincipal(proven, find);
  if (!principal) return undefined;
  const { scopes, expiresAt } = proven;
  return { principal, how: "token", expiresAt, ...(scopes && { scopes }) };
}

/** Everybody has to be known here: that the issuer vouches for a name says nothing about what it is to us. */
async function resolvePrincipal(proven: VerifiedToken, find: FindPrincipal): Promise<Principal | undefined> {
  const { kind, subject, actor, groups, issuedAt } = proven;
  const named = await find(subject, groups && { names: groups, at: issuedAt });
  if (!named || (kind === "client" && named.kind !== "service")) return undefined;
  if (actor === undefined) return named;
  const acting = await find(actor);
  if (named.kind !== "person" || acting?.kind !== "agent") return undefined;
  return { ...acting, onBehalfOf: named.id, ...(named.barred && { barred: named.barred }) };
}

const maxCachedCallers = 10_000;
const cacheMs = 1_000;

/** An answer is kept for a second: what is revoked is refused everywhere within that. */
function cacheCallers(
  ask: (bearer: string) => Promise<Caller | undefined>,
  { now, monotonicNow }: Pick<BearerAuthenticatorOptions, "now" | "monotonicNow">,
): (bearer: string) => Promise<Caller | undefined> {
  const known = new Map<string, { readonly caller: Caller; readonly until: number }>();
  return async (bearer) => {
    const hash = createHash("sha256").update(bearer).digest("base64");
    const remembered = known.get(hash);
    if (remembered && remembered.until > monotonicNow()) return remembered.caller;
    known.delete(hash);
    const caller = await ask(bearer);
    if (caller) {
      if (known.size >= maxCachedCallers) known.clear();
      const left = (caller.expiresAt ?? Number.POSITIVE_INFINITY) - now();
      known.set(hash, { caller, until: monotonicNow() + Math.min(cacheMs, left) });
    }
    return caller;
  };
}
