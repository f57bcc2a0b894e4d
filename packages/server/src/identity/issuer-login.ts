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
import { readGroups, readSubject } from "./claims.ts";
import type { OidcConfig } from "./config.ts";
import type { OidcIssuer } from "./issuer.ts";

/** A person who came back from the issuer. */
export interface IssuerLoginResult {
  readonly subject: string;
  readonly groups?: { readonly names: readonly string[]; readonly at: number };
  /** Where they were going when they were asked to log in. */
  readonly to: string;
}

/** Logging in by way of the issuer: the authorization code flow with PKCE, state and nonce. */
export interface IssuerLoginFlow {
  /** Where the browser goes, and what it must keep and bring back. */
  begin(to: string): Promise<{ readonly url: string; readonly memo: string }>;
  /** `query`: as the issuer sent the browser back. Undefined: it did not vouch for anybody. */
  finish(query: string, memo: string): Promise<IssuerLoginResult | undefined>;
}

export interface IssuerLoginFlowOptions {
  readonly oidc: OidcConfig;
  readonly issuer: OidcIssuer;
  /** Where the issuer sends browsers back to. */
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
      return { subject, to: memo.to, ...(names && { groups: { names, at: claims!.iat * 1_000 } }) };
    },
  };
}

/** What went wrong between the issuer and us is not the browser's business: it can begin again. */
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
