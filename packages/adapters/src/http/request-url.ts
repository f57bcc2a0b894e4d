import { CapabilityError } from "@paraph/core";
import { toCanonicalUrl } from "../egress/canonical-url.ts";
import type { HttpAdapterConfig } from "./config.ts";

/** Returns the URL if its host is configured and its spelling is the one that policy ruled on. Otherwise it throws. */
export function requireAllowedUrl(raw: string, config: HttpAdapterConfig): URL {
  const read = toCanonicalUrl(raw);
  if (read.kind === "refused" || read.url.href !== raw) {
    throw new CapabilityError(
      "permanent",
      "url-invalid",
      "The `url` is not valid, or not in its canonical form. Send a new call with a valid URL, which Paraph then normalizes.",
    );
  }
  const { url } = read;
  if (isConfiguredHost(url, config)) return url;
  throw new CapabilityError(
    "permanent",
    "host-not-allowed",
    `The host of the \`url\` is not configured. Use one of the configured hosts: ${Object.keys(config.hosts).join(", ")}.`,
  );
}

function isConfiguredHost(url: URL, { hosts }: HttpAdapterConfig): boolean {
  return Object.hasOwn(hosts, url.origin);
}
