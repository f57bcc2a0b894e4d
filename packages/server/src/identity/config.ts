import { type Duration, isDuration } from "@paraph/core";
import { z } from "zod";

/** The methods other than API keys by which people, agents and services authenticate. */
export interface IdentityConfig {
  /** The URL at which browsers reach this server. */
  readonly url?: string;
  /** The OpenID issuer whose tokens and logins Paraph accepts. */
  readonly oidc?: OidcConfig;
  /** The lifetime of a browser session. */
  readonly sessions?: { readonly idle?: Duration; readonly lasting?: Duration };
}

/** The OpenID issuer whose tokens and logins Paraph accepts. */
export interface OidcConfig {
  /** The issuer's identifier. */
  readonly issuer: string;
  /** The audience that tokens must name. */
  readonly audience: string;
  /** The tenant to which the issuer's subjects belong. */
  readonly tenant: string;
  /** The claim that identifies the subject. */
  readonly subject?: string;
  /** The claim that lists a person's groups. */
  readonly groups?: string;
  /** The people who may log in. */
  readonly people?: "known" | "create";
  /** This server's client registration at the issuer, for browser logins. */
  readonly client?: {
    readonly id: string;
    /** The name of the client's secret. */
    readonly secret?: string;
    readonly scope?: string;
  };
}

const duration = z
  .string()
  .refine(isDuration, "expected a duration, such as `12h`")
  .meta({ typeName: "duration" });
const text = z.string().min(1);

const oidc = {
  issuer: z
    .string()
    .refine(isSecureUrl, "expected an https address")
    .describe("The issuer's identifier, which is also the base URL of its discovery document."),
  audience: text.describe(
    "The audience that tokens must name. It is the name under which the issuer knows this API, and differs from `client.id`.",
  ),
  tenant: z
    .string()
    .regex(/^[a-z][a-z0-9]{1,30}$/, "expected the id of a tenant")
    .describe("The tenant to which the issuer's subjects belong."),
  subject: text.optional().describe("The claim that identifies the subject (default: `sub`)."),
  groups: text.optional().describe("The claim that lists a person's groups (default: none)."),
  people: z
    .enum(["known", "create"])
    .optional()
    .describe(
      "The people who may log in: linked people (`known`), or every person whom the issuer admits (`create`) (default: `known`).",
    ),
  client: z
    .strictObject({
      id: text.describe("The id of the client."),
      secret: text
        .optional()
        .describe("The name of the client's secret among the tenant's secrets. A public client has none."),
      scope: text.optional().describe("The scope to request from the issuer (default: `openid`)."),
    })
    .optional()
    .describe(
      "This server's client registration at the issuer, for browser logins. Without it, Paraph accepts only tokens (default: none).",
    ),
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
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      "The URL at which browsers reach this server, such as `https://paraph.example.com` (default: the listening address).",
    ),
  oidc: oidcSchema
    .optional()
    .describe("The OpenID issuer whose tokens and logins Paraph accepts (default: none)."),
  sessions: z
    .strictObject({
      idle: duration.optional().describe("The time without use after which a session ends (default: `12h`)."),
      lasting: duration.optional().describe("The maximum lifetime of a session (default: `168h`)."),
    })
    .optional()
    .describe("The lifetime of browser sessions."),
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
