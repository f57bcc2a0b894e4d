import { type Credentials, milliseconds } from "@paraph/core";
import { mailAddressInput } from "../builtin/admin/input-schemas.ts";
import {
  createBearerAuthenticator,
  createIssuer,
  createIssuerLoginFlow,
  type IdentityConfig,
  type OidcConfig,
} from "../identity/index.ts";
import {
  authenticateKey,
  createContactStore,
  createSessionStore,
  type Database,
  type LoginLink,
  resolveExternalPrincipal,
  type SessionStore,
} from "../postgres/index.ts";
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
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { identity, database, now } = options;
  const { idle = "12h", lasting = "168h" } = identity.sessions ?? {};
  const sessions = createSessionStore(database.app, {
    idleMs: milliseconds(idle),
    lastingMs: milliseconds(lasting),
  });
  const oidc = identity.oidc && createOidc(identity.oidc, sessions, options);
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
      return token === undefined
        ? undefined
        : new URL(`/login/local?token=${token}`, resolvePublicUrl(options)).href;
    },
  };
}

function createOidc(oidc: OidcConfig, sessions: SessionStore, options: AuthenticatorOptions) {
  const { tenant, client, people = "known" } = oidc;
  const { app } = options.database;
  const issuer = createIssuer({
    oidc,
    secret: (name) => options.credentials.resolve(tenant, name),
    now: options.now,
  });
  const flow = createIssuerLoginFlow({
    oidc,
    issuer,
    callback: () => new URL(callbackPath, resolvePublicUrl(options)),
  });
  const login: IssuerLoginService = {
    name: new URL(oidc.issuer).host,
    begin: flow.begin,
    async finish(query, memo, replaced) {
      const result = await flow.finish(query, memo);
      if (!result) return { kind: "failed" };
      const { to, mail, ...vouched } = result;
      // Paraph creates a person only after a browser login. A token is not enough, because it may belong to a machine.
      const create = people === "create" ? { create: result.subject } : {};
      const principal = await resolveExternalPrincipal(app, tenant, {
        issuer: oidc.issuer,
        ...vouched,
        ...create,
      });
      if (principal && mailAddressInput.safeParse(mail).success)
        await createContactStore(app).set(tenant, principal.id, "mail", mail, "issuer");
      const session = principal && (await sessions.begin(tenant, principal.id, replaced));
      return session === undefined ? { kind: "unknown" } : { kind: "begun", session, to };
    },
  };
  return {
    tokens: {
      oidc,
      issuer,
      find: (subject: string, groups?: { readonly names: readonly string[]; readonly at: number }) =>
        resolveExternalPrincipal(app, tenant, { issuer: oidc.issuer, subject, ...(groups && { groups }) }),
    },
    login: client && login,
  };
}

/** Returns the address at which browsers reach this server. */
function resolvePublicUrl({ identity, url }: AuthenticatorOptions): string {
  return identity.url ?? url();
}
