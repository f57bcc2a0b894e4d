/** Whether the address uses https or is on this machine. */
export function isSecureAddress(address: string | URL): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}
