import { errors, type JWTPayload, jwtVerify } from "jose";
import { parseName, readGroups, readScopes, readSubject } from "./claims.ts";
import type { OidcConfig } from "./config.ts";
import type { OidcIssuer } from "./issuer.ts";

/** What a token proves. */
export interface VerifiedToken {
  /** `party`: somebody, perhaps with an actor. `client`: only the client that asked for the token, so a service. */
  readonly kind: "party" | "client";
  readonly subject: string;
  /** Who acts for the subject: RFC 8693's `act`. */
  readonly actor?: string;
  readonly groups?: readonly string[];
  readonly scopes?: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Signatures that only the issuer can make: neither `none` nor a secret that we would share with it. */
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
/** RFC 9068, and what issuers wrote before it. Tokens of another type (logout, DPoP, events) are for something else. */
const tokenTypes = ["at+jwt", "application/at+jwt", "jwt"];
const toleranceSeconds = 10;

export interface TokenOptions {
  readonly oidc: OidcConfig;
  readonly issuer: OidcIssuer;
  readonly now: () => number;
}

/** [TRUST 8] Undefined: not a token of this issuer, for this audience, in force now. */
export async function verifyToken(
  token: string,
  { oidc, issuer, now }: TokenOptions,
): Promise<VerifiedToken | undefined> {
  const payload = await verifyJwt(token, { oidc, issuer, now });
  if (!payload) return undefined;
  // Bound to a key that the caller would have to prove: whoever only holds the token is not its owner.
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
  // As it calls itself: with or without the slash that the configuration has.
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
  // An actor that cannot be read must not leave the subject acting for itself.
  return actor === undefined ? undefined : { kind: "party", subject, actor };
}

/** The outermost actor is who acts now; those inside acted before. */
function readActor(act: unknown): string | undefined {
  return typeof act === "object" && act !== null ? parseName((act as { sub?: unknown }).sub) : undefined;
}
