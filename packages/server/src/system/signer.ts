import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { ParaphError, type PublicKey, type Sealer, type Signer } from "@paraph/core";
import { writeDurably } from "./durable-file.ts";
import { readKeyFolder, type StoredKey } from "./key-folder.ts";
import { createSealer, deriveSealSecret } from "./sealer.ts";

/** Signs on a thread of Node's pool, so that the main thread can keep serving requests. */
const signAsync = promisify(sign);

/** The signer of a deployment. It signs receipts and seals the records that authorize an effect. */
export interface DeploymentSigner extends Signer, Sealer {
  /** The public keys that verify its receipts: the current key first, then the next and the earlier ones. */
  readonly publicKeys: readonly PublicKey[];
  /** Releases what the signer holds, such as a timer. */
  close?(): void | Promise<void>;
}

/** A signer with its key in a file. */
export interface FileSigner extends DeploymentSigner {
  readonly publicKey: PublicKey;
}

/**
 * Opens the Ed25519 key in this file. If the file does not exist, creates it, readable only by its owner. The key in
 * the folder `next` beside the file and those in `previous` also verify seals, so that processes with an earlier and a
 * later key can run together.
 */
export function createFileSigner(file: string): FileSigner {
  const keys = readOrCreate(file);
  const [{ publicKey, privateKey }] = keys;
  if (!privateKey || publicKey.revokedAt !== undefined)
    throw new ParaphError(
      "config-invalid",
      `The signing key \`${file}\` ${privateKey ? "is revoked" : "is only a public key"}. Replace it with \`paraph signing-key rotate\`.`,
    );
  const sealing = keys.filter(isSealing).map((one) => deriveSealSecret(one.privateKey));
  return {
    ...createSealer(sealing),
    keyId: publicKey.kid,
    publicKey,
    publicKeys: keys.map((one) => one.publicKey),
    sign: (bytes) => signAsync(null, bytes, privateKey),
  };
}

/**
 * Opens the earlier keys of a deployment that now signs elsewhere. Their seals and receipts are still valid, and no new
 * ones are made.
 */
export function openEarlierKeys(folder: string): {
  readonly secrets: readonly Buffer[];
  readonly publicKeys: readonly PublicKey[];
} {
  if (!existsSync(folder))
    throw new ParaphError(
      "config-invalid",
      `The folder of earlier keys \`${folder}\` does not exist. Copy it from the host where the keys are, or remove \`earlierKeys\`.`,
    );
  const keys = uniqueKeys(readKeyFolder(`${folder}/signing.pem`));
  return {
    secrets: keys.filter(isSealing).map((one) => deriveSealSecret(one.privateKey)),
    publicKeys: keys.map((one) => one.publicKey),
  };
}

/** The seals of a revoked key do not count, because its thief can make them too. */
function isSealing(key: StoredKey): key is StoredKey & { readonly privateKey: KeyObject } {
  return key.privateKey !== undefined && key.publicKey.revokedAt === undefined;
}

function uniqueKeys(keys: readonly StoredKey[]): readonly StoredKey[] {
  return [...new Map(keys.toReversed().map((key) => [key.publicKey.kid, key])).values()].reverse();
}

function readOrCreate(file: string): readonly [StoredKey, ...StoredKey[]] {
  try {
    const found = readKeyFolder(file);
    if (found[0]?.place !== "current") createKeyFile(file);
    const [current, ...others] = uniqueKeys(found[0]?.place === "current" ? found : readKeyFolder(file));
    return [current!, ...others];
  } catch (error) {
    if (error instanceof ParaphError) throw error;
    throw new ParaphError(
      "config-invalid",
      `The signing key \`${file}\` cannot be read or created (${(error as NodeJS.ErrnoException).code}). Create its folder, and let the user of this process write to it.`,
    );
  }
}

/** Creates the key file. If two processes start concurrently, one creates the key and the other reads it. */
function createKeyFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeDurably(file, generateKey(), { exclusive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Generates an Ed25519 key as PEM. */
export function generateKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
