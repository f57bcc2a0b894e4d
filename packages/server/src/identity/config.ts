import { type Duration, isDuration } from "@paraph/core";
import { z } from "zod";

/** How people, agents and services prove who they are, besides API keys. */
export interface IdentityConfig {
  /** Where browsers reach this server, where that is not where it listens: `https://paraph.example.com`. */
  readonly url?: string;
  readonly oidc?: OidcConfig;
  /** How long a browser's session lasts: 12 hours unused, a week in all, unless given. */
  readonly sessions?: { readonly idle?: Duration; readonly lasting?: Duration };
}

export interface OidcConfig {
  /** The issuer's identifier, under which its discovery document lies. */
  readonly issuer: string;
  /** What tokens must be made for: the name this API has at the issuer. */
  readonly audience: string;
  /** The tenant whose principals its subjects are. */
  readonly tenant: string;
  /** The claim that names somebody; `sub` unless given. */
  readonly subject?: string;
  /** The claim that lists a person's groups. */
  readonly groups?: string;
  /** Who may log in: people who were linked (`known`, the default), or anybody the issuer lets in (`create`). */
  readonly people?: "known" | "create";
  /** This server as a client of the issuer, for browsers. Without it, tokens only. */
  readonly client?: {
    readonly id: string;
    /** The name of its secret among the tenant's credentials; a public client has none. */
    readonly secret?: string;
    /** What to ask the issuer for; `openid` unless given. */
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

/** Refuses a configuration under which one person could be taken for another. */
export const oidcSchema = z
  .strictObject(oidc)
  // Otherwise the token that tells us who logged in would be a key to the API for whoever got hold of it.
  .refine(({ client, audience }) => client?.id !== audience, {
    path: ["audience"],
    message: "must not be the id of the client",
  });

const identity = {
  url: z.url({ protocol: /^https?$/ }).optional(),
  oidc: oidcSchema.optional(),
  sessions: z.strictObject({ idle: duration.optional(), lasting: duration.optional() }).optional(),
} satisfies Record<keyof IdentityConfig, z.ZodType>;

export const identitySchema = z.strictObject(identity);

/** Plain HTTP is for a provider on this very machine. */
export function isSecureUrl(address: string): boolean {
  return URL.canParse(address) && (new URL(address).protocol === "https:" || isLoopback(address));
}

export function isLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
}
