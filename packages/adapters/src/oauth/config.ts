import type { ExecutionContext } from "@paraph/core";
import { z } from "zod";
import { fillSecrets, secretText } from "../egress/secrets.ts";
import { isSecureAddress } from "../egress/secure-address.ts";

/** A client at an authorization server, with the values of its secrets. */
export interface OauthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** The refresh token of a person's login. Without it, the access tokens are for the client itself. */
  readonly refreshToken?: string | undefined;
  readonly scope?: string | undefined;
}

/** Creates the schema of a client. `secret` is the schema of the texts that name a secret. */
export const createOauthSchema = <Secret extends z.ZodType<string>>(secret: Secret) =>
  z
    .strictObject({
      tokenUrl: z
        .string()
        .max(2_000)
        .refine(isTokenUrl, "must be an https URL without a user, password, query or fragment")
        .describe("the URL of the token endpoint, such as `https://oauth2.googleapis.com/token`"),
      clientId: z.string().min(1).max(1_000).describe("the id of the client"),
      clientSecret: secret.optional().describe("the secret of the client, if it has one"),
      refreshToken: secret
        .optional()
        .describe("the refresh token of a login; without it, the access tokens are for the client itself"),
      scope: z.string().min(1).max(2_000).optional().describe("the scopes to request, separated by spaces"),
    } satisfies Record<keyof OauthClient, z.ZodType>)
    .refine(({ clientSecret, refreshToken }) => clientSecret !== undefined || refreshToken !== undefined, {
      message: "needs `refreshToken`, or `clientSecret` for access tokens of the client itself",
    });

/** The schema of a client in the options of an adapter. */
export const oauthConfig = createOauthSchema(secretText).describe(
  "a client at an authorization server, from which Paraph gets access tokens; name the secrets in braces after a dollar sign",
);

/** Replaces the names of the secrets with their values. */
export async function fillOauth(
  { clientSecret, refreshToken, ...client }: z.output<typeof oauthConfig>,
  credential: ExecutionContext["credential"],
): Promise<OauthClient> {
  const fill = async (text: string | undefined) =>
    text === undefined ? undefined : (await fillSecrets(text, credential)).text;
  return { ...client, clientSecret: await fill(clientSecret), refreshToken: await fill(refreshToken) };
}

function isTokenUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && isSecureAddress(text) && username + password + search + hash === "";
}
