/** Returns the short form of a commit id. */
export function shortenId(oid: string): string {
  return oid.slice(0, 10);
}

/**
 * Decodes git's output to text that PostgreSQL can store. A replacement character stands for NUL and for invalid UTF-8.
 */
export function decodeOutput(bytes: Buffer): string {
  return bytes.toString("utf8").replaceAll("\0", "\ufffd");
}
