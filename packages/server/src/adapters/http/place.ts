import { CapabilityError } from "@paraph/core";
import type { HttpConfig } from "./config.ts";

/** The place an agent names, if it is with a host that is configured. */
export function placeOf(raw: string, config: HttpConfig): URL {
  // The parser would leave out tabs and line ends, and read a backslash as a slash: what is shown is what is meant.
  const plain = !/[\p{Cc}\s\\]/u.test(raw) && URL.canParse(raw);
  const url = plain ? new URL(raw) : undefined;
  if (!url || url.username || url.password) {
    throw new CapabilityError(
      "permanent",
      "url-invalid",
      "The `url` is not a whole URL without spaces, backslashes or a user in it.",
    );
  }
  if (isConfigured(url, config)) return url;
  throw new CapabilityError(
    "permanent",
    "host-not-allowed",
    `The host of the \`url\` is not among those configured: ${Object.keys(config.hosts).join(", ")}.`,
  );
}

export function isConfigured(url: URL, { hosts }: HttpConfig): boolean {
  return Object.hasOwn(hosts, url.origin);
}
