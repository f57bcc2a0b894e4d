import { CapabilityError } from "@paraph/core";
import { canonicalUrl } from "../../outbound/canonical-url.ts";
import type { HttpConfig } from "./config.ts";

/** The place an agent names, if it is with a host that is configured, and in the spelling that was ruled on. */
export function placeOf(raw: string, config: HttpConfig): URL {
  const read = canonicalUrl(raw);
  if (read.kind === "refused" || read.url.href !== raw) {
    throw new CapabilityError(
      "permanent",
      "url-invalid",
      "The `url` is not written as it would be sent: send it as a new call.",
    );
  }
  const { url } = read;
  if (isConfigured(url, config)) return url;
  throw new CapabilityError(
    "permanent",
    "host-not-allowed",
    `The host of the \`url\` is not among those configured: ${Object.keys(config.hosts).join(", ")}.`,
  );
}

function isConfigured(url: URL, { hosts }: HttpConfig): boolean {
  return Object.hasOwn(hosts, url.origin);
}
