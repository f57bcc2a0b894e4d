import { type AdapterContext, ParaphError } from "@paraph/core";
import type { McpHttpConfig } from "../config.ts";
import { isSecureAddress } from "../login/discover-issuer.ts";

/** Returns the URL of the server. Throws if a secret would be sent without encryption. */
export function parseServerUrl(
  { url, credential, oauth, headers }: McpHttpConfig,
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
  if (!isSecureAddress(address) && hasSecret)
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: a credential is sent over https only, or to this machine.`,
    );
  return address;
}
