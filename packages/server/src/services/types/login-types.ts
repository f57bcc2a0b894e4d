/** The login of people from a browser. `authentication.ts` implements it. */
export interface LoginService {
  /** Present if an issuer is configured for people. */
  readonly issuer?: IssuerLoginService;
  /** Starts a session by a one-time link. `replaced` is the session that the browser had before. */
  logInByLink(link: string, replaced: string | undefined): Promise<LoginResult>;
  endSession(session: string): Promise<void>;
}

/** The login of people at the configured OpenID issuer. */
export interface IssuerLoginService {
  /** The issuer's name as people know it. */
  readonly name: string;
  /** Returns the address to send the browser to, and the memo that the browser must bring back. */
  begin(to: string): Promise<{ readonly url: string; readonly memo: string }>;
  finish(query: string, memo: string, replaced: string | undefined): Promise<LoginResult>;
}

/** The result of a login attempt. */
export type LoginResult =
  | { readonly kind: "begun"; readonly session: string; readonly to?: string }
  /** The issuer vouches for a person who is not a principal here. */
  | { readonly kind: "unknown" }
  | { readonly kind: "failed" };

/** The path to which the issuer redirects browsers. The client registration at the issuer must list it. */
export const callbackPath = "/login/callback";
