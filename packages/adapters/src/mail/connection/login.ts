import type { CapabilityError } from "@paraph/core";
import { fillOauth } from "../../oauth/config.ts";
import { tokenRevokedFault } from "../../oauth/revoked-token.ts";
import { getSecretName } from "../config.ts";
import type { CallContext, MailContext } from "../context.ts";
import { mailFault } from "./mail-fault.ts";

/** A login at one of the servers: with a password, or with an access token. */
export interface MailLogin {
  readonly user: string;
  readonly secret: string;
  readonly isToken: boolean;
  /** Records that the server accepted the login. */
  accept(): void;
  /** Creates the fault for a refused login. */
  refuse(): CapabilityError;
}

export async function openLogin(
  mail: MailContext,
  server: "imap" | "smtp",
  context: CallContext,
): Promise<MailLogin> {
  const { config, tokens } = mail;
  const user = config[server].user ?? config.address;
  const name = server.toUpperCase();
  if (!config.oauth) {
    const secret = await context.credential(getSecretName(config[server]));
    const refuse = () => loginRefusedFault(name, "the secret that `password` names");
    return { user, secret, isToken: false, accept: () => {}, refuse };
  }
  const token = await tokens.get(await fillOauth(config.oauth, context.credential), context.signal);
  return {
    user,
    secret: token.value,
    isToken: true,
    accept: () => void token.acceptedBy.add(server),
    refuse: () =>
      tokens.reject(token, server)
        ? tokenRevokedFault(name)
        : loginRefusedFault(name, "`scope` in `oauth`, and whether the account allows access by this client"),
  };
}

function loginRefusedFault(server: string, what: string): CapabilityError {
  return mailFault(
    "permanent",
    "login-refused",
    `The ${server} server refused the login. Check \`user\` and ${what}.`,
  );
}
