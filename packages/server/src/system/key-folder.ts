import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ParaphError, type PublicKey, toPublicKey } from "@paraph/core";

/**
 * A file with a signing key. `signing.pem` is the current key. The folder `next` beside it has the key that a rotation
 * makes current, and the folder `previous` has the earlier keys. A retired key is only a public key.
 */
export interface StoredKey {
  readonly file: string;
  readonly place: "current" | "next" | "previous";
  /** The public key, with its revocation. */
  readonly publicKey: PublicKey;
  readonly privateKey: KeyObject | undefined;
}

/**
 * Reads the current key, the next key and the earlier keys. A key can appear twice after an interrupted rotation.
 * Without a current key, returns only the others.
 */
export function readKeyFolder(file: string): readonly StoredKey[] {
  const files = listKeyFiles(file);
  const revocations = readRevocations(file);
  const read = (path: string, place: StoredKey["place"]): StoredKey => {
    const { publicKey, privateKey } = parseKey(path);
    const revokedAt = revocations[publicKey.kid];
    return {
      file: path,
      place,
      publicKey: { ...publicKey, ...(revokedAt !== undefined && { revokedAt }) },
      privateKey,
    };
  };
  return files.map(([path, place]) => read(path, place));
}

/** Lists the files with keys: the current one, then the next one, then the earlier ones. */
export function listKeyFiles(file: string): readonly (readonly [path: string, place: StoredKey["place"]])[] {
  const folder = dirname(file);
  const list = (place: "next" | "previous") =>
    readNames(join(folder, place))
      .filter((name) => name.endsWith(".pem"))
      .sort()
      .map((name) => [join(folder, place, name), place] as const);
  const current = existsSync(file) ? [[file, "current"] as const] : [];
  return [...current, ...list("next"), ...list("previous")];
}

/** Returns the file that records the revoked keys. */
export function findRevocationFile(file: string): string {
  return join(dirname(file), "revoked.json");
}

/** Reads the times from which keys are revoked, by key id. A file that cannot be understood stops the process. */
export function readRevocations(file: string): Readonly<Record<string, number>> {
  const path = findRevocationFile(file);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw unusable(path, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    const times = Object.entries(JSON.parse(text) as Record<string, unknown>).map(
      ([kid, at]) => [kid, Date.parse(String(at))] as const,
    );
    if (!times.some(([, at]) => Number.isNaN(at))) return Object.fromEntries(times);
  } catch {
    // The error below reports it.
  }
  throw unusable(path, "is not a JSON object of key ids and times");
}

function parseKey(file: string): Pick<StoredKey, "publicKey" | "privateKey"> {
  let key: KeyObject;
  try {
    const pem = readFileSync(file, "utf8");
    key = pem.includes("PRIVATE KEY") ? createPrivateKey(pem) : createPublicKey(pem);
  } catch (error) {
    throw unusable(file, `cannot be read as a PEM key (${(error as NodeJS.ErrnoException).code})`);
  }
  if (key.asymmetricKeyType !== "ed25519") throw unusable(file, "is not an Ed25519 key");
  const { x = "" } = (key.type === "private" ? createPublicKey(key) : key).export({ format: "jwk" });
  return {
    publicKey: toPublicKey(Buffer.from(x, "base64url")),
    privateKey: key.type === "private" ? key : undefined,
  };
}

function unusable(file: string, reason: string): ParaphError {
  return new ParaphError(
    "config-invalid",
    `The signing key file \`${file}\` ${reason}. Restore it from your backup, or check its rights.`,
  );
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
