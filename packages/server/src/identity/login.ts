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
import { groupsIn, subjectIn } from "./claims.ts";
import type { OidcConfig } from "./config.ts";
import type { Issuer } from "./issuer.ts";

/** A person who came back from the issuer. */
export interface CameBack {
  readonly subject: string;
  readonly groups?: { readonly names: readonly string[]; readonly at: number };
  /** Where they were going when they were asked to log in. */
  readonly to: string;
}

/** Logging in by way of the issuer: the authorization code flow with PKCE, state and nonce. */
export interface IssuerLogin {
  /** Where the browser goes, and what it must keep and bring back. */
  begin(to: string): Promise<{ readonly url: string; readonly memo: string }>;
  /** `query`: as the issuer sent the browser back. Undefined: it did not vouch for anybody. */
  finish(query: string, memo: string): Promise<CameBack | undefined>;
}

export interface IssuerLoginOptions {
  readonly oidc: OidcConfig;
  readonly issuer: Issuer;
  /** Where the issuer sends browsers back to. */
  readonly callback: () => URL;
}

export function issuerLogin({ oidc, issuer, callback }: IssuerLoginOptions): IssuerLogin {
  return {
    async begin(to) {
      const configuration = await issuer.configuration();
      const memo: Memo = {
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
      const memo = memoIn(text);
      if (!memo) return undefined;
      const configuration = await issuer.configuration();
      const back = callback();
      back.search = query;
      const claims = await exchanged(configuration, back, memo);
      const subject = claims && subjectIn(claims, oidc);
      if (subject === undefined) return undefined;
      const names = groupsIn(claims!, oidc);
      return { subject, to: memo.to, ...(names && { groups: { names, at: claims!.iat * 1_000 } }) };
    },
  };
}

/** What went wrong between the issuer and us is not the browser's business: it can begin again. */
async function exchanged(
  configuration: Configuration,
  back: URL,
  { state, nonce, verifier }: Memo,
): Promise<IDToken | undefined> {
  const tokens = await authorizationCodeGrant(configuration, back, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
  }).catch(() => undefined);
  return tokens?.claims();
}

const memoShape = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() });
type Memo = z.infer<typeof memoShape>;

function memoIn(text: string): Memo | undefined {
  try {
    return memoShape.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch {
    return undefined;
  }
}
