import { type AdapterContext, ParaphError } from "@paraph/core";
import type { HttpConfig } from "./config.ts";
import { isSafe } from "./login/issuer.ts";

/** Where the server is; refused where a secret would be sent in the open. */
export function addressOf(
  { url, credential, oauth, headers }: HttpConfig,
  { name }: Pick<AdapterContext, "name">,
): URL {
  const address = new URL(url);
  if (address.username || address.password)
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: a URL is no place for a password: use \`credential\`.`,
    );
  if (credential !== undefined && oauth)
    throw new ParaphError("adapter-invalid", `\`${name}\`: name either \`credential\` or \`oauth\`.`);
  const hasSecret =
    oauth !== undefined ||
    credential !== undefined ||
    Object.values(headers).some((each) => each.includes("${"));
  if (!isSafe(address) && hasSecret)
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: a credential is sent over https only, or to this machine.`,
    );
  return address;
}
