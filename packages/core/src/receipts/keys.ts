import { sha256 } from "@noble/hashes/sha2.js";
import { base64, fromBase64, utf8 } from "./bytes.ts";

/** A public Ed25519 key as a JSON Web Key. `kid` is its RFC 7638 thumbprint. */
export interface PublicKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  /**
   * The time from which the operator revoked the key, in milliseconds since 1970. Another party may have had the private
   * key since then.
   */
  readonly revokedAt?: number;
}

/** Returns the JSON Web Key of raw key bytes. */
export function toPublicKey(raw: Uint8Array): PublicKey {
  const x = base64url(raw);
  return { kty: "OKP", crv: "Ed25519", x, kid: thumbprint(x) };
}

/** Returns the name of a key. The name is derived from the key, so no other key can have it. */
export function thumbprint(x: string): string {
  return base64url(sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)));
}

/**
 * Returns the time from which a key is revoked, or undefined if it is not. If the key is listed twice, the earlier
 * revocation counts. Returns NaN, which no time is before, if a time cannot be read.
 */
export function findRevocation(kid: string, keys: readonly PublicKey[]): number | undefined {
  const times = keys.flatMap((key) => (key.kid === kid ? (key.revokedAt ?? []) : []));
  if (times.length === 0) return undefined;
  return times.every(Number.isFinite) ? Math.min(...times) : Number.NaN;
}

/** Returns whether a signature of these bytes is valid. A key whose `kid` is not its thumbprint is rejected. */
export async function isSignatureValid(
  key: PublicKey,
  signature: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (thumbprint(key.x) !== key.kid) return false;
  const raw = fromBase64(key.x.replaceAll("-", "+").replaceAll("_", "/"));
  const imported = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", imported, signature, bytes);
}

function base64url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
