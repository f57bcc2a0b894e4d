import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ParaphError, type PublicKey, type Sealer, type Signer, toPublicKey } from "@paraph/core";
import { createSealer } from "./sealer.ts";

/** Signs on a thread of Node's pool, so that the main thread can keep serving requests. */
const signAsync = promisify(sign);

/** A signer of receipts that also seals the records which authorize an effect. */
export interface FileSigner extends Signer, Sealer {
  readonly publicKey: PublicKey;
  /** The earlier signing keys. Receipts and seals from these keys are still valid. */
  readonly previousKeys: readonly PublicKey[];
}

/**
 * Opens the Ed25519 key in this file. If the file does not exist, creates it, readable only by its owner. The earlier
 * keys are the `.pem` files in the folder `previous` beside the file.
 */
export function createFileSigner(file: string): FileSigner {
  const key = createPrivateKey(readOrCreate(file));
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

function readOrCreate(file: string): string {
  try {
    return readIfPresent(file) ?? createKeyFile(file);
  } catch (error) {
    throw new ParaphError(
      "config-invalid",
      `The signing key \`${file}\` cannot be read or created (${(error as NodeJS.ErrnoException).code}). Create its folder, and let the user of this process write to it.`,
    );
  }
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Creates the key file with the flag `wx`. If two processes start concurrently, one creates the key and the other reads
 * it.
 */
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
