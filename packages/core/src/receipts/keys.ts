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
  const imported = await crypto.subtle.importKey("raw", fromBase64url(key.x), "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", imported, signature, bytes);
}

/** Public keys that were read from a text, or why they could not be read. */
export type ParsedKeys =
  | { readonly kind: "keys"; readonly keys: readonly PublicKey[] }
  | { readonly kind: "invalid"; readonly reason: string };

/**
 * Parses a JSON Web Key, a JSON Web Key Set, or an array of keys. The id of a key is always computed from the key, and
 * never read from the text.
 */
export function parsePublicKeys(text: string): ParsedKeys {
  const invalid = (reason: string): ParsedKeys => ({ kind: "invalid", reason });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return invalid("is not JSON");
  }
  const list = Array.isArray(parsed) ? parsed : ((parsed as { keys?: unknown } | null)?.keys ?? [parsed]);
  if (!Array.isArray(list)) return invalid("contains no list of keys");
  const keys = list.filter(isEd25519).map(({ x, revokedAt }) => ({
    ...toPublicKey(fromBase64url(x)),
    ...(revokedAt !== undefined && { revokedAt: Number(revokedAt) }),
  }));
  if (keys.some((key) => "revokedAt" in key && !Number.isFinite(key.revokedAt)))
    return invalid("has a key with a `revokedAt` that is not a time in milliseconds");
  return keys.length === 0 ? invalid("contains no usable key") : { kind: "keys", keys };
}

function isEd25519(key: unknown): key is { x: string; revokedAt?: unknown } {
  if (typeof key !== "object" || key === null) return false;
  const { kty, crv, x } = key as Record<string, unknown>;
  return kty === "OKP" && crv === "Ed25519" && typeof x === "string" && /^[\w-]{43}=?$/.test(x);
}

function fromBase64url(encoded: string): Uint8Array<ArrayBuffer> {
  return fromBase64(encoded.replaceAll("-", "+").replaceAll("_", "/"));
}

function base64url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
