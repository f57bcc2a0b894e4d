import { createHash, createHmac, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Sealer } from "@paraph/core";

/** The shortest secret that a sealer accepts, in bytes. */
const minSecretBytes = 32;

/**
 * [TRUST 32] Creates a sealer from secrets of at least 32 bytes. It seals with the first secret, and verifies the seals
 * of all of them. A seal names its secret. Seals therefore stay valid after a change of the secret, for as long as the
 * operator keeps the earlier one.
 */
export function createSealer(secrets: readonly Uint8Array[]): Sealer {
  const keys = secrets.map(toSealingKey);
  const [current] = keys;
  if (!current) throw new Error("a sealer needs a secret");
  return {
    seal: (text) => `${current.id}.${computeMac(current.secret, text).toString("base64url")}`,
    isSealed(text, seal) {
      const [id, given = ""] = seal.split(".");
      const key = keys.find((one) => one.id === id);
      if (!key) return false;
      const [wanted, found] = [computeMac(key.secret, text), Buffer.from(given, "base64url")];
      return wanted.length === found.length && timingSafeEqual(wanted, found);
    },
  };
}

interface SealingKey {
  readonly id: string;
  readonly secret: Uint8Array;
}

function toSealingKey(secret: Uint8Array): SealingKey {
  if (secret.length < minSecretBytes)
    throw new Error(
      `the secret of a sealer has ${secret.length} bytes, but needs at least ${minSecretBytes}`,
    );
  return {
    id: createHash("sha256").update("id:").update(secret).digest("base64url").slice(0, 8),
    secret,
  };
}

/**
 * Derives the secret for seals from the signing key, so that operators keep only one secret. Neither reveals the other.
 */
export function deriveSealSecret(signingKey: KeyObject): Buffer {
  const seed = Buffer.from(signingKey.export({ format: "jwk" }).d ?? "", "base64url");
  if (seed.length !== 32) throw new Error("the signing key is not an Ed25519 private key");
  return Buffer.from(hkdfSync("sha256", seed, "", sealLabel, 32));
}

/** The label under which a key yields the secret for seals. */
export const sealLabel = "paraph record seal v1";

function computeMac(secret: Uint8Array, text: string): Buffer {
  return createHmac("sha256", secret).update(text).digest();
}
