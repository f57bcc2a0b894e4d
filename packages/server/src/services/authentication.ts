import { type Credentials, milliseconds } from "@paraph/core";
import { callbackPath } from "../http/index.ts";
import {
  authenticateBearer,
  type IdentityConfig,
  issuerFrom,
  issuerLogin,
  type OidcConfig,
} from "../identity/index.ts";
import {
  authenticateKey,
  type Database,
  externalPrincipal,
  type Sessions,
  sessionsIn,
} from "../postgres/index.ts";
import type { IssuerLogin } from "./types/login-types.ts";
import type { Service } from "./types/service-types.ts";

export interface CallersOptions {
  readonly identity: IdentityConfig;
  readonly database: Database;
  readonly credentials: Credentials;
  readonly now: () => number;
  /** Where this process listens. */
  readonly url: () => string;
}

export interface Callers extends Pick<Service, "authenticate" | "session" | "login"> {
  /** An address at which this person can log in once; undefined where there is no such person. */
  loginLink(tenant: string, principal: string): Promise<string | undefined>;
}

/** Who asks: API keys, tokens of the configured issuer, and people's browser sessions. */
export function callersFrom(options: CallersOptions): Callers {
  const { identity, database, now } = options;
  const { idle = "12h", lasting = "168h" } = identity.sessions ?? {};
  const sessions = sessionsIn(database.app, { idleMs: milliseconds(idle), lastingMs: milliseconds(lasting) });
  const oidc = identity.oidc && oidcOver(identity.oidc, sessions, options);
  return {
    authenticate: authenticateBearer({
      key: (bearer) => authenticateKey(database.app, bearer),
      ...(oidc && { tokens: oidc.tokens }),
      now,
      elapsed: () => performance.now(),
    }),
    session: sessions.find,
    login: {
      ...(oidc?.login && { issuer: oidc.login }),
      async finishByLink(link, replaced) {
        const session = await sessions.beginByLink(link, replaced);
        return session === undefined ? { kind: "failed" } : { kind: "begun", session };
      },
      end: sessions.end,
    },
    async loginLink(tenant, principal) {
      const token = await sessions.makeLink(tenant, principal);
      return token === undefined
        ? undefined
        : new URL(`/login/local?token=${token}`, reachedAt(options)).href;
    },
  };
}

function oidcOver(oidc: OidcConfig, sessions: Sessions, options: CallersOptions) {
  const { tenant, client, people = "known" } = oidc;
  const { app } = options.database;
  const issuer = issuerFrom({
    oidc,
    secret: (name) => options.credentials.resolve(tenant, name),
    now: options.now,
  });
  const flow = issuerLogin({ oidc, issuer, callback: () => new URL(callbackPath, reachedAt(options)) });
  const login: IssuerLogin = {
    name: new URL(oidc.issuer).host,
    begin: flow.begin,
    async finish(query, memo, replaced) {
      const back = await flow.finish(query, memo);
      if (!back) return { kind: "failed" };
      const { to, ...vouched } = back;
      // Only here is it sure that the issuer speaks of a person: a token can be a machine's.
      const create = people === "create" ? { create: back.subject } : {};
      const principal = await externalPrincipal(app, tenant, { issuer: oidc.issuer, ...vouched, ...create });
      const session = principal && (await sessions.begin(tenant, principal.id, replaced));
      return session === undefined ? { kind: "unknown" } : { kind: "begun", session, to };
    },
  };
  return {
    tokens: {
      oidc,
      issuer,
      find: (subject: string, groups?: { readonly names: readonly string[]; readonly at: number }) =>
        externalPrincipal(app, tenant, { issuer: oidc.issuer, subject, ...(groups && { groups }) }),
    },
    login: client && login,
  };
}

/** By browsers. */
function reachedAt({ identity, url }: CallersOptions): string {
  return identity.url ?? url();
}
