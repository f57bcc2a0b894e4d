import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import { z } from "zod";
import { readGroups, readMailAddress, readSubject } from "./claims.ts";
import type { OidcConfig } from "./config.ts";
import type { OidcIssuer } from "./issuer.ts";

/** The result of a person's login at the issuer. */
export interface IssuerLoginResult {
  readonly subject: string;
  readonly groups?: { readonly names: readonly string[]; readonly at: number };
  /** The person's mail address, if the issuer verified it. */
  readonly mail?: string;
  /** The page that the person requested before the login. */
  readonly to: string;
}

/** The login at the issuer: the authorization code flow with PKCE, state and nonce. */
export interface IssuerLoginFlow {
  /** Returns the address to send the browser to, and the memo that the browser must send back. */
  begin(to: string): Promise<{ readonly url: string; readonly memo: string }>;
  /**
   * Finishes a login. `query` is the query string of the issuer's redirect. Returns undefined if the issuer confirmed
   * no subject.
   */
  finish(query: string, memo: string): Promise<IssuerLoginResult | undefined>;
}

export interface IssuerLoginFlowOptions {
  readonly oidc: OidcConfig;
  readonly issuer: OidcIssuer;
  /** Returns the address to which the issuer redirects browsers. */
  readonly callback: () => URL;
}

export function createIssuerLoginFlow({ oidc, issuer, callback }: IssuerLoginFlowOptions): IssuerLoginFlow {
  return {
    async begin(to) {
      const configuration = await issuer.configuration();
      const memo: LoginMemo = {
        state: randomState(),
        nonce: randomNonce(),
        verifier: randomPKCECodeVerifier(),
        to,
      };
      const address = buildAuthorizationUrl(configuration, {
        redirect_uri: callback().href,
        scope: oidc.client?.scope ?? "openid",
        state: memo.state,
        nonce: memo.nonce,
        code_challenge: await calculatePKCECodeChallenge(memo.verifier),
        code_challenge_method: "S256",
      });
      return { url: address.href, memo: Buffer.from(JSON.stringify(memo)).toString("base64url") };
    },
    async finish(query, text) {
      const memo = parseMemo(text);
      if (!memo) return undefined;
      const configuration = await issuer.configuration();
      const back = callback();
      back.search = query;
      const claims = await exchangeCode(configuration, back, memo);
      const subject = claims && readSubject(claims, oidc);
      if (subject === undefined) return undefined;
      const names = readGroups(claims!, oidc);
      const mail = readMailAddress(claims!);
      return {
        subject,
        to: memo.to,
        ...(mail !== undefined && { mail }),
        ...(names && { groups: { names, at: claims!.iat * 1_000 } }),
      };
    },
  };
}

/**
 * Exchanges the authorization code and returns the claims of the ID token. Returns undefined on any failure, because
 * the person must start the login again in every case.
 */
async function exchangeCode(
  configuration: Configuration,
  back: URL,
  { state, nonce, verifier }: LoginMemo,
): Promise<IDToken | undefined> {
  const tokens = await authorizationCodeGrant(configuration, back, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
  }).catch(() => undefined);
  return tokens?.claims();
}

const memoSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() });
type LoginMemo = z.infer<typeof memoSchema>;

function parseMemo(text: string): LoginMemo | undefined {
  try {
    return memoSchema.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch {
    return undefined;
  }
}
