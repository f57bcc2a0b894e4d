import { type AdapterContext, ParaphError } from "@paraph/core";
import { isSecureAddress } from "../../egress/secure-address.ts";
import type { McpHttpConfig } from "../config.ts";

/** Returns the URL of the server. Throws if a secret would be sent without encryption. */
export function parseServerUrl(
  { url, credential, oauth, headers }: McpHttpConfig,
  { name }: Pick<AdapterContext, "name">,
): URL {
  const address = new URL(url);
  if (address.username || address.password)
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: the URL must not contain a user or a password. Use \`credential\` instead.`,
    );
  if (credential !== undefined && oauth)
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: set either \`credential\` or \`oauth\`, not both.`,
    );
  const hasSecret =
    oauth !== undefined ||
    credential !== undefined ||
    Object.values(headers).some((each) => each.includes("${"));
  if (!isSecureAddress(address) && hasSecret)
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: Paraph sends credentials only over https or to this machine. Use an https URL.`,
    );
  return address;
}
