import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { type PublicKey, publicKey, type Signer } from "@paraph/core";

/** On a thread of Node's own: the one that answers everybody has better things to do. */
const signAside = promisify(sign);

/** Signs receipts with an Ed25519 key kept in a file that only its owner reads; made on first use. */
export function fileSigner(file: string): Signer & { readonly publicKey: PublicKey } {
  const key = createPrivateKey(existing(file) ?? created(file));
  const shown = publicKey(rawPublicKey(key));
  return {
    keyId: shown.kid,
    publicKey: shown,
    sign: (bytes) => signAside(null, bytes, key),
  };
}

function existing(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** `wx`: of two processes that start at once, one makes the key and the other reads it. */
function created(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  try {
    writeFileSync(file, pem, { mode: 0o600, flag: "wx" });
    return pem;
  } catch (error) {
    const made = existing(file);
    if (made) return made;
    throw error;
  }
}

function rawPublicKey(key: KeyObject): Uint8Array {
  const { x } = createPublicKey(key).export({ format: "jwk" });
  return Buffer.from(x ?? "", "base64url");
}
