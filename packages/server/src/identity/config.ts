import { type Duration, isDuration } from "@paraph/core";
import { z } from "zod";

/** The methods other than API keys by which people, agents and services authenticate. */
export interface IdentityConfig {
  /**
   * The URL at which browsers reach this server, if it differs from the listening address. An example is
   * `https://paraph.example.com`.
   */
  readonly url?: string;
  readonly oidc?: OidcConfig;
  /** The lifetime of a browser session (default: 12h without use, 168h in total). */
  readonly sessions?: { readonly idle?: Duration; readonly lasting?: Duration };
}

/** The OpenID issuer whose tokens and logins Paraph accepts. */
export interface OidcConfig {
  /** The issuer's identifier, which is also the base URL of its discovery document. */
  readonly issuer: string;
  /** The audience that tokens must name. It is the name under which the issuer knows this API. */
  readonly audience: string;
  /** The tenant to which the issuer's subjects belong. */
  readonly tenant: string;
  /** The claim that identifies the subject (default: `sub`). */
  readonly subject?: string;
  /** The claim that lists a person's groups. */
  readonly groups?: string;
  /**
   * The people who may log in: linked people (`known`, the default), or every person whom the issuer admits (`create`).
   */
  readonly people?: "known" | "create";
  /** This server's client registration at the issuer, for browser logins. Without it, only tokens are accepted. */
  readonly client?: {
    readonly id: string;
    /** The name of the client's secret among the tenant's credentials. A public client has none. */
    readonly secret?: string;
    /** The scope to request from the issuer (default: `openid`). */
    readonly scope?: string;
  };
}

const duration = z.string().refine(isDuration, "expected a duration, such as `12h`");
const text = z.string().min(1);

const oidc = {
  issuer: z.string().refine(isSecureUrl, "expected an https address"),
  audience: text,
  tenant: z.string().regex(/^[a-z][a-z0-9]{1,30}$/, "expected the id of a tenant"),
  subject: text.optional(),
  groups: text.optional(),
  people: z.enum(["known", "create"]).optional(),
  client: z.strictObject({ id: text, secret: text.optional(), scope: text.optional() }).optional(),
} satisfies Record<keyof OidcConfig, z.ZodType>;

/** The schema of `oidc`. It rejects a configuration under which one person could authenticate as another. */
export const oidcSchema = z
  .strictObject(oidc)
  // The client id and the audience must differ. Otherwise any party that obtained the ID token of a login could use it
  // as a key to the API.
  .refine(({ client, audience }) => client?.id !== audience, {
    path: ["audience"],
    message:
      "must differ from `client.id`; otherwise the ID token of a login would also give access to the API",
  });

const identity = {
  url: z.url({ protocol: /^https?$/ }).optional(),
  oidc: oidcSchema.optional(),
  sessions: z.strictObject({ idle: duration.optional(), lasting: duration.optional() }).optional(),
} satisfies Record<keyof IdentityConfig, z.ZodType>;

/** The schema of `identity` in the configuration. */
export const identitySchema = z.strictObject(identity);

/** Returns whether the address is safe for an issuer. Plain HTTP is allowed only on this machine. */
export function isSecureUrl(address: string): boolean {
  return URL.canParse(address) && (new URL(address).protocol === "https:" || isLoopback(address));
}

/** Returns whether the address is plain HTTP on this machine. */
export function isLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
}
