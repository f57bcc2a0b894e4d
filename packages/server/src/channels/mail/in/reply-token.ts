import { createHash, randomBytes } from "node:crypto";

/** The length of a token: 160 random bits in base32. */
const tokenLength = 32;
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** Creates the token of a notice. It is in lower case, because mail servers may change the case of an address. */
export function createReplyToken(): string {
  return Array.from(randomBytes(tokenLength), (byte) => alphabet[byte % alphabet.length]).join("");
}

/**
 * Returns the digest under which Paraph stores a token. A search by digest takes the same time for each wrong token,
 * and a reader of the database cannot reply.
 */
export function digestToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Returns the address to which the reply with this token goes. */
export function toReplyAddress(address: string, token: string): string {
  const at = address.lastIndexOf("@");
  return `${address.slice(0, at)}+${token}${address.slice(at)}`;
}

/** Returns the token in a recipient's address. */
export function readTokenAddress(recipient: string, address: string): string | undefined {
  const at = address.lastIndexOf("@");
  const prefix = `${address.slice(0, at)}+`.toLowerCase();
  const lower = recipient.toLowerCase();
  const token = lower.slice(prefix.length, prefix.length + tokenLength);
  const isOwn = lower === `${prefix}${token}${address.slice(at).toLowerCase()}`;
  return isOwn && /^[a-z2-7]{32}$/.test(token) ? token : undefined;
}

/** Returns the tokens anywhere in a header. */
export function findTokens(header: string, address: string): readonly string[] {
  return header
    .toLowerCase()
    .split(/[^a-z0-9+@._-]+/)
    .flatMap((part) => readTokenAddress(part, address) ?? []);
}
