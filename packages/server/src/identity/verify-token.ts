import { errors, type JWTPayload, jwtVerify } from "jose";
import { parseName, readGroups, readScopes, readSubject } from "./claims.ts";
import type { OidcConfig } from "./config.ts";
import type { OidcIssuer } from "./issuer.ts";

/** The verified content of a token. */
export interface VerifiedToken {
  /**
   * The kind of identity in the token. `party` means that the token names a subject, perhaps with an actor. `client`
   * means that it names only the client that requested it. That client must be a service.
   */
  readonly kind: "party" | "client";
  readonly subject: string;
  /** The actor who acts for the subject, from the `act` claim of RFC 8693. */
  readonly actor?: string;
  readonly groups?: readonly string[];
  readonly scopes?: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/**
 * The accepted signature algorithms. With each of them, only the issuer can sign. `none` and algorithms with a shared
 * secret are excluded.
 */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/**
 * The accepted token types. RFC 9068 defines the first two, and issuers that predate it use `jwt`. Tokens of other
 * types (logout, DPoP, events) have another purpose and are rejected.
 */
const tokenTypes = ["at+jwt", "application/at+jwt", "jwt"];
const toleranceSeconds = 10;

export interface TokenOptions {
  readonly oidc: OidcConfig;
  readonly issuer: OidcIssuer;
  readonly now: () => number;
}

/**
 * [TRUST 8] Verifies a token. Returns undefined if it is not from this issuer, not for this audience or not valid now.
 */
export async function verifyToken(
  token: string,
  { oidc, issuer, now }: TokenOptions,
): Promise<VerifiedToken | undefined> {
  const payload = await verifyJwt(token, { oidc, issuer, now });
  if (!payload) return undefined;
  // Rejects a token that is bound to a key, because Paraph does not check whether the caller possesses that key.
  if (payload.cnf !== undefined) return undefined;
  const whom = readParties(payload, oidc);
  if (!whom) return undefined;
  const groups = readGroups(payload, oidc);
  const scopes = readScopes(payload);
  return {
    ...whom,
    ...(groups && whom.actor === undefined && { groups }),
    ...(scopes && { scopes }),
    issuedAt: payload.iat! * 1_000,
    expiresAt: payload.exp! * 1_000,
  };
}

async function verifyJwt(
  token: string,
  { oidc, issuer, now }: TokenOptions,
): Promise<JWTPayload | undefined> {
  // The issuer's own identifier, which may differ from the configured one by a trailing slash.
  const { issuer: itself } = (await issuer.configuration()).serverMetadata();
  try {
    const { payload, protectedHeader } = await jwtVerify(token, issuer.keys, {
      issuer: itself,
      audience: oidc.audience,
      algorithms,
      requiredClaims: ["exp", "iat"],
      clockTolerance: toleranceSeconds,
      currentDate: new Date(now()),
    });
    const { typ } = protectedHeader;
    return typ === undefined || tokenTypes.includes(typ.toLowerCase()) ? payload : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

function readParties(
  payload: JWTPayload,
  oidc: OidcConfig,
): Pick<VerifiedToken, "kind" | "subject" | "actor"> | undefined {
  const subject = readSubject(payload, oidc);
  if (subject === undefined) {
    const client = parseName(payload.client_id) ?? parseName(payload.azp);
    return client === undefined || payload.act !== undefined
      ? undefined
      : { kind: "client", subject: client };
  }
  if (payload.act === undefined) return { kind: "party", subject };
  const actor = readActor(payload.act);
  // If the actor cannot be read, the token is rejected, because it must not count as the subject's own.
  return actor === undefined ? undefined : { kind: "party", subject, actor };
}

/** Returns the outermost actor of the claim, who acts now. It ignores nested actors, who acted earlier. */
function readActor(act: unknown): string | undefined {
  return typeof act === "object" && act !== null ? parseName((act as { sub?: unknown }).sub) : undefined;
}
