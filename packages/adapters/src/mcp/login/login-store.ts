import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { LockedValue } from "../../locked-value.ts";

/** A stored login: the tokens, with their server, issuer and client. */
export type StoredLogin = z.output<typeof storedLogin>;

const storedLogin = z.strictObject({
  /** The address of the MCP server. The access token is sent only there. */
  server: z.string(),
  /** The issuer that a person confirmed. The refresh token is sent only there. */
  issuer: z.string(),
  resource: z.string().optional(),
  /**
   * The client. Paraph stores its secret only if Paraph registered the client itself. The secret of a configured client
   * is a named secret instead.
   */
  client: z.strictObject({ id: z.string(), secret: z.string().optional() }),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** The expiry in milliseconds since 1970. Some issuers do not state an expiry. */
  expiresAt: z.number().optional(),
  scope: z.string().optional(),
});

export interface LoginLocation {
  /** The folder of the configuration. */
  readonly folder: string;
  readonly adapter: string;
}

/** The login of one adapter, shared by all processes of this machine. */
export class LoginStore extends LockedValue<StoredLogin> {
  constructor({ folder, adapter }: LoginLocation) {
    super({
      path: join(folder, ".paraph", "mcp-logins", `${adapter}.sqlite`),
      schema: storedLogin,
      unusableFault: storeUnusableFault,
      busyFault: storeBusyFault,
    });
  }
}

function storeUnusableFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "mcp-login-unusable",
    "Paraph can't read or write the stored logins. Check the permissions of `.paraph/mcp-logins`, or remove it and log in again.",
  );
}

function storeBusyFault(): CapabilityError {
  return new CapabilityError(
    "not-performed",
    "mcp-login-taken",
    "Another process locked the stored login for too long. Paraph will retry.",
  );
}
