import { ParaphError } from "@paraph/core";
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, customFetch as keysFetch } from "jose";
import {
  allowInsecureRequests,
  ClientSecretBasic,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from "openid-client";
import { boundedFetch } from "./bounded-fetch.ts";
import { isLoopback, isSecureUrl, type OidcConfig } from "./config.ts";

/** The metadata and keys of an issuer, fetched at first use. */
export interface OidcIssuer {
  configuration(): Promise<Configuration>;
  /** The keys that verify the issuer's tokens. */
  readonly keys: JWTVerifyGetKey;
}

export interface IssuerOptions {
  readonly oidc: OidcConfig;
  readonly secret: (name: string) => Promise<string>;
  readonly now: () => number;
}

/**
 * The pause between a failed discovery of the issuer and the next attempt. Further requests from callers do not shorten
 * the pause.
 */
const retryPauseMs = 2_000;
const timeoutSeconds = 5;

export function createIssuer({ oidc, secret, now }: IssuerOptions): OidcIssuer {
  let known: Promise<{ configuration: Configuration; keys: JWTVerifyGetKey }> | undefined;
  let askAgainAt = 0;
  const discovered = () => {
    if (!known && now() < askAgainAt) throw issuerUnavailable();
    known ??= discoverIssuer(oidc, secret).catch(() => {
      known = undefined;
      askAgainAt = now() + retryPauseMs;
      throw issuerUnavailable();
    });
    return known;
  };
  return {
    configuration: async () => (await discovered()).configuration,
    keys: async (header, token) => {
      const { keys } = await discovered();
      try {
        return await keys(header, token);
      } catch (error) {
        throw isTokenFault(error) ? error : issuerUnavailable();
      }
    },
  };
}

async function discoverIssuer(oidc: OidcConfig, secret: IssuerOptions["secret"]) {
  const name = oidc.client?.secret;
  const given = name === undefined ? undefined : await secret(name);
  const configuration = await discovery(
    new URL(oidc.issuer),
    oidc.client?.id ?? oidc.audience,
    undefined,
    given === undefined ? None() : ClientSecretBasic(given),
    {
      timeout: timeoutSeconds,
      // Limits the size of the responses to discovery and to the token requests of a login.
      [customFetch]: boundedFetch,
      execute: [enableNonRepudiationChecks, ...(isLoopback(oidc.issuer) ? [allowInsecureRequests] : [])],
    },
  );
  const { jwks_uri } = configuration.serverMetadata();
  if (jwks_uri === undefined || !isSecureUrl(jwks_uri))
    throw new Error("the metadata of the issuer has no secure `jwks_uri`");
  return {
    configuration,
    keys: createRemoteJWKSet(new URL(jwks_uri), {
      timeoutDuration: timeoutSeconds * 1_000,
      [keysFetch]: boundedFetch,
    }),
  };
}

/**
 * Returns whether the token caused the error. The token causes it if no supported key, or more than one key, matches
 * the token. Any other error is a problem between Paraph and the issuer.
 */
function isTokenFault(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/**
 * Returns the error for an unreachable issuer. Paraph then refuses the caller, but does not report the token as
 * invalid.
 */
function issuerUnavailable(): ParaphError {
  return new ParaphError(
    "identity-unavailable",
    "The identity provider does not answer. Try again in a moment.",
  );
}
