import { networkInterfaces } from "node:os";
import { usageError } from "./cli-error.ts";

/** Whether only programs on this computer can reach the URL. */
export function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && isLoopback(toHost(url));
}

/** Whether the URL is that of a server on this computer. */
export function isOwnUrl(url: string): boolean {
  return URL.canParse(url) && (isLoopback(toHost(url)) || listNetworkAddresses().includes(toHost(url)));
}

/** Whether only programs on this computer can reach a server that listens on this host. */
export function isLoopback(host: string): boolean {
  return ["127.0.0.1", "::1", "localhost"].includes(host);
}

function toHost(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, "");
}

/**
 * Requires a loopback address or one address of this computer. An address for all networks is refused, because the
 * user may not know all of them, and because no link can name it.
 */
export function requireOwnAddress(host: string, own: readonly string[] = listNetworkAddresses()): void {
  if (isLoopback(host) || own.includes(host)) return;
  const found =
    own.length === 0
      ? "It has no network address."
      : `Choose one of its addresses: ${own.map((address) => `\`${address}\``).join(", ")}.`;
  throw usageError(`\`${host}\` is not an address of this computer. ${found}`);
}

function listNetworkAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"))
    .map(({ address }) => address);
}
