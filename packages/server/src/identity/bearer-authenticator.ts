import { createHash } from "node:crypto";
import type { Caller, Principal } from "@paraph/core";
import type { VerifiedToken } from "./verify-token.ts";

export interface BearerAuthenticatorOptions {
  /** Returns the caller that an API key identifies. */
  readonly findKey: (key: string) => Promise<Caller | undefined>;
  readonly tokens?: {
    /** Returns the content of a token, or undefined if it is not valid. */
    readonly verify: (token: string) => Promise<VerifiedToken | undefined>;
    readonly find: FindPrincipal;
  };
  /** Returns the time of the database's clock, which may jump. */
  readonly now: () => number;
  /** Returns a time that never goes back. */
  readonly monotonicNow: () => number;
}

/** Returns the principal that is linked to a subject of the issuer. */
export type FindPrincipal = (
  subject: string,
  groups?: { readonly names: readonly string[]; readonly at: number },
) => Promise<Principal | undefined>;

/**
 * Creates a function that authenticates a bearer credential, which is an API key of Paraph or a token of the issuer.
 */
export function createBearerAuthenticator(
  authentication: BearerAuthenticatorOptions,
): (bearer: string) => Promise<Caller | undefined> {
  const { findKey, tokens } = authentication;
  return cacheCallers(async (bearer) => {
    if (bearer.startsWith("paraph_")) return findKey(bearer);
    if (!tokens) return undefined;
    const proven = await tokens.verify(bearer);
    return proven && toCaller(proven, tokens.find);
  }, authentication);
}

async function toCaller(proven: VerifiedToken, find: FindPrincipal): Promise<Caller | undefined> {
  const principal = await resolvePrincipal(proven, find);
  if (!principal) return undefined;
  const { scopes, expiresAt } = proven;
  return { principal, how: "token", expiresAt, ...(scopes && { scopes }) };
}

/**
 * Returns the principal of a token. Every party that the token names must be a known principal, because the issuer does
 * not state which rights a party has in Paraph.
 */
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

/**
 * Caches a caller for at most one second, so that every process refuses a revoked key within one second of its
 * revocation.
 */
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
