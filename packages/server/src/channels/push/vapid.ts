import { createECDH } from "node:crypto";
import { ParaphError } from "@paraph/core";

/** The key pair with which Paraph identifies itself to push services (RFC 8292), as base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Derives the key pair from the deployment's secret, which is the private key. */
export function readVapidKeys(secret: string): VapidKeys {
  const text = secret.trim();
  const key = Buffer.from(text, "base64url");
  const pair = createECDH("prime256v1");
  try {
    if (!/^[A-Za-z0-9_-]{43}$/.test(text)) throw new TypeError("not 32 bytes");
    pair.setPrivateKey(key);
  } catch {
    throw new ParaphError(
      "config-invalid",
      "The secret of `push` is not a VAPID key. Create one with `openssl rand -base64 32 | tr '+/' '-_' | tr -d '='`.",
    );
  }
  return { privateKey: text, publicKey: pair.getPublicKey("base64url") };
}
