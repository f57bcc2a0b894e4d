import type { Signer } from "../ports.ts";
import { fromBase64 } from "../receipts/bytes.ts";
import { type PublicKey, toPublicKey } from "../receipts/keys.ts";

/** Parses an Ed25519 key from PKCS #8, as PEM or as base64 alone. Returns undefined if the text is no such key. */
export async function parseSigningKey(
  written: string,
): Promise<(Signer & { readonly publicKey: PublicKey }) | undefined> {
  try {
    const der = fromBase64(written.replaceAll(/-----[^-]*-----|\s/g, ""));
    const key = await crypto.subtle.importKey("pkcs8", der, "Ed25519", true, ["sign"]);
    const { x = "" } = await crypto.subtle.exportKey("jwk", key);
    const shown = parsePublicKey(x);
    return (
      shown && {
        keyId: shown.kid,
        publicKey: shown,
        sign: async (bytes) =>
          new Uint8Array(await crypto.subtle.sign("Ed25519", key, new Uint8Array(bytes))),
      }
    );
  } catch {
    return undefined;
  }
}

/**
 * Parses a public key from its 32 bytes in base64url, the `x` of a JSON Web Key. Returns undefined if the text is no
 * such key.
 */
export function parsePublicKey(x: string): PublicKey | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(x)) return undefined;
  const key = toPublicKey(fromBase64(x.replaceAll("-", "+").replaceAll("_", "/")));
  return key.x === x ? key : undefined;
}
