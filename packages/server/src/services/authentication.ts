import { type Credentials, milliseconds } from "@paraph/core";
import { createBearerAuthenticator, type IdentityConfig } from "../identity/index.ts";
import { authenticateKey, createSessionStore, type Database, type LoginLink } from "../postgres/index.ts";
import type { ParaphService } from "./paraph-service.ts";

export type { LoginLink };

/** The login of people from a browser. */
export interface LoginService {
  /** Present if an issuer is configured for people. */
  readonly issuer?: IssuerLoginService;
  /** Returns whom a one-time link logs in and until when, or undefined if the link does not work. */
  findLink(link: string): Promise<LoginLink | undefined>;
  /** Starts a session by a one-time link. `replaced` is the session that the browser had before. */
  logInByLink(link: string, replaced: string | undefined): Promise<LoginResult>;
  endSession(session: string): Promise<void>;
}

/** The login of people at the configured OpenID issuer. */
export interface IssuerLoginService {
  /** The issuer's name as people know it. */
  readonly name: string;
  /** Returns the address to send the browser to, and the memo that the browser must send back after the login. */
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

/** The dependencies of `createAuthenticator`. */
export interface AuthenticatorOptions {
  readonly identity: IdentityConfig;
  readonly database: Database;
  readonly credentials: Credentials;
  readonly now: () => number;
  /** Returns the address at which this process listens. */
  readonly url: () => string;
}

/** The authentication of callers, and the login of people. */
export interface Authenticator extends Pick<ParaphService, "authenticate" | "authenticateSession" | "login"> {
  /** Returns an address at which this person can log in once, or undefined if there is no such person. */
  createLoginLink(tenant: string, principal: string): Promise<string | undefined>;
}

/** Creates the authentication of callers by API keys, by tokens of the configured issuer, and by browser sessions. */
export async function createAuthenticator(options: AuthenticatorOptions): Promise<Authenticator> {
  const { identity, database, now } = options;
  const { idle = "12h", lasting = "168h" } = identity.sessions ?? {};
  const sessions = createSessionStore(database.app, {
    idleMs: milliseconds(idle),
    lastingMs: milliseconds(lasting),
  });
  const publicUrl = () => identity.url ?? options.url();
  // Only a server with an issuer loads the libraries for OpenID Connect.
  const oidc =
    identity.oidc &&
    (await import("./oidc-authentication.ts")).createOidcAuthentication({
      ...options,
      oidc: identity.oidc,
      sessions,
      callback: () => new URL(callbackPath, publicUrl()),
    });
  return {
    authenticate: createBearerAuthenticator({
      findKey: (bearer) => authenticateKey(database.app, bearer),
      ...(oidc && { tokens: oidc.tokens }),
      now,
      monotonicNow: () => performance.now(),
    }),
    authenticateSession: sessions.find,
    login: {
      ...(oidc?.login && { issuer: oidc.login }),
      findLink: sessions.findLink,
      async logInByLink(link, replaced) {
        const session = await sessions.beginByLink(link, replaced);
        return session === undefined ? { kind: "failed" } : { kind: "begun", session };
      },
      endSession: sessions.end,
    },
    async createLoginLink(tenant, principal) {
      const token = await sessions.createLink(tenant, principal);
      return token === undefined ? undefined : new URL(`/login/local?token=${token}`, publicUrl()).href;
    },
  };
}
