import { isIP } from "node:net";

/** The site that passkeys belong to. */
export interface RelyingParty {
  /** The host name to which browsers bind a credential. */
  readonly rpId: string;
  /** The only origin from which Paraph accepts an assertion. */
  readonly origin: string;
}

/**
 * Returns the site at this address. Returns undefined if its host is an IP address, because browsers offer passkeys only
 * for names.
 */
export function toRelyingParty(url: string): RelyingParty | undefined {
  const { hostname, origin } = new URL(url);
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? { rpId: hostname, origin } : undefined;
}
