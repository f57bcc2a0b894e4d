import { mailAddressInput } from "../builtin/admin/input-schemas.ts";
import type { OidcConfig } from "../identity/index.ts";
import { createIssuer, createIssuerLoginFlow, verifyToken } from "../identity/openid.ts";
import { createContactStore, resolveExternalPrincipal, type SessionStore } from "../postgres/index.ts";
import type { AuthenticatorOptions, IssuerLoginService } from "./authentication.ts";

interface OidcAuthenticationOptions extends Pick<AuthenticatorOptions, "database" | "credentials" | "now"> {
  readonly oidc: OidcConfig;
  readonly sessions: SessionStore;
  /** Returns the address to which the issuer redirects browsers. */
  readonly callback: () => URL;
}

/** Creates the authentication by tokens of the issuer, and the login of people there. */
export function createOidcAuthentication(options: OidcAuthenticationOptions) {
  const { oidc, sessions, now, callback } = options;
  const { tenant, client, people = "known" } = oidc;
  const { app } = options.database;
  const issuer = createIssuer({
    oidc,
    secret: (name) => options.credentials.resolve(tenant, name),
    now,
  });
  const flow = createIssuerLoginFlow({ oidc, issuer, callback });
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
      verify: (token: string) => verifyToken(token, { oidc, issuer, now }),
      find: (subject: string, groups?: { readonly names: readonly string[]; readonly at: number }) =>
        resolveExternalPrincipal(app, tenant, { issuer: oidc.issuer, subject, ...(groups && { groups }) }),
    },
    login: client && login,
  };
}
