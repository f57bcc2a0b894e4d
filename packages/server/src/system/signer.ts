import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type PublicKey, type Sealer, type Signer, toPublicKey } from "@paraph/core";
import { createSealer } from "./sealer.ts";

/** On a thread of Node's own: the one that answers everybody has better things to do. */
const signAsync = promisify(sign);

/** Signs receipts, and seals what authorises an effect. */
export interface FileSigner extends Signer, Sealer {
  readonly publicKey: PublicKey;
  /** The keys that signed before this one: their receipts still verify, and their seals still hold. */
  readonly previousKeys: readonly PublicKey[];
}

/**
 * Uses an Ed25519 key in a file that only its owner reads, made on first use. Keys that it replaced are the `.pem` files in
 * the folder `previous` beside it.
 */
export function createFileSigner(file: string): FileSigner {
  const key = createPrivateKey(readIfPresent(file) ?? createKeyFile(file));
  const shown = toPublicKey(toRawPublicKey(key));
  const previous = globSync(join(dirname(file), "previous", "*.pem"))
    .sort()
    .map((one) => createPrivateKey(readFileSync(one, "utf8")));
  return {
    ...createSealer([key, ...previous]),
    keyId: shown.kid,
    publicKey: shown,
    previousKeys: previous.map((one) => toPublicKey(toRawPublicKey(one))),
    sign: (bytes) => signAsync(null, bytes, key),
  };
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** `wx`: of two processes that start at once, one makes the key and the other reads it. */
function createKeyFile(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  try {
    writeFileSync(file, pem, { mode: 0o600, flag: "wx" });
    return pem;
  } catch (error) {
    const made = readIfPresent(file);
    if (made) return made;
    throw error;
  }
}

function toRawPublicKey(key: KeyObject): Uint8Array {
  const { x } = createPublicKey(key).export({ format: "jwk" });
  return Buffer.from(x ?? "", "base64url");
}
