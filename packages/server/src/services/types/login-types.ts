/** How people log in from a browser; `callers.ts` hands it over. */
export interface LoginService {
  /** Where one is configured that people log in with. */
  readonly issuer?: IssuerLoginService;
  /** `replaced`: the session that the browser had. */
  logInByLink(link: string, replaced: string | undefined): Promise<LoginResult>;
  endSession(session: string): Promise<void>;
}

export interface IssuerLoginService {
  /** What people know it by. */
  readonly name: string;
  /** Where to send the browser, and what it must bring back. */
  begin(to: string): Promise<{ readonly url: string; readonly memo: string }>;
  finish(query: string, memo: string, replaced: string | undefined): Promise<LoginResult>;
}

export type LoginResult =
  | { readonly kind: "begun"; readonly session: string; readonly to?: string }
  /** The issuer vouches for them, and they are nobody here. */
  | { readonly kind: "unknown" }
  | { readonly kind: "failed" };

/** Where the issuer sends browsers back to: its name for this server has to list it. */
export const callbackPath = "/login/callback";
