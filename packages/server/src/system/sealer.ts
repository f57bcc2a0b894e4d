import { createHash, createHmac, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Sealer } from "@paraph/core";

/**
 * [TRUST 32] Creates a sealer. It seals with a key derived from the first signing key, and verifies seals of every
 * signing key. A seal names its key. Seals therefore stay valid after a change of the signing key, for as long as the
 * operator keeps the earlier key.
 */
export function createSealer(signingKeys: readonly KeyObject[]): Sealer {
  const keys = signingKeys.map(deriveKey);
  const [current] = keys;
  if (!current) throw new Error("a sealer needs a signing key");
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
  readonly secret: Buffer;
}

/**
 * Derives the sealing key from the signing key, so that operators keep only one secret. Neither key reveals the other.
 */
function deriveKey(signingKey: KeyObject): SealingKey {
  const seed = Buffer.from(signingKey.export({ format: "jwk" }).d ?? "", "base64url");
  if (seed.length !== 32) throw new Error("the signing key is not an Ed25519 private key");
  const secret = Buffer.from(hkdfSync("sha256", seed, "", "paraph record seal v1", 32));
  const id = createHash("sha256").update("id:").update(secret).digest("base64url").slice(0, 8);
  return { id, secret };
}

function computeMac(secret: Buffer, text: string): Buffer {
  return createHmac("sha256", secret).update(text).digest();
}
