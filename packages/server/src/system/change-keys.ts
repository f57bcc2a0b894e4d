import { createPublicKey } from "node:crypto";
import { chownSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ParaphError, type ParaphErrorCode } from "@paraph/core";
import { moveDurably, writeDurably } from "./durable-file.ts";
import { findRevocationFile, readKeyFolder, readRevocations, type StoredKey } from "./key-folder.ts";
import { generateKey } from "./signer.ts";

// Each function leaves a usable folder after a crash at any point, and continues what an earlier run began. Every key
// therefore has its new file before its old file goes.

/** Creates the next key, or returns the one that exists. Processes that know it accept its seals. */
export function prepareNextKey(file: string): StoredKey {
  requireCurrentKey(file);
  const existing = findNextKey(file);
  if (existing) return existing;
  const folder = join(dirname(file), "next");
  makeFolder(folder, file);
  writeDurably(join(folder, "signing.pem"), generateKey(), { owner: statSync(file) });
  return findNextKey(file)!;
}

/** Makes the next key the current one, and keeps the current one as an earlier key. */
export function rotateSigningKey(file: string): {
  readonly current: StoredKey;
  readonly previous: StoredKey;
} {
  const current = requireCurrentKey(file);
  const next = findNextKey(file);
  if (!next)
    throw fault("no-next-key", "There is no next signing key. Run `paraph signing-key prepare` first.");
  if (!next.privateKey || next.publicKey.revokedAt !== undefined)
    throw fault(
      "signing-key-invalid",
      `The next signing key \`${next.file}\` is ${next.privateKey ? "revoked" : "only a public key"}. Remove it, and run \`paraph signing-key prepare\` again.`,
    );
  const folder = join(dirname(file), "previous");
  makeFolder(folder, file);
  const kept = join(folder, `${current.publicKey.kid}.pem`);
  writeDurably(kept, readFileSync(file, "utf8"), { owner: statSync(file) });
  moveDurably(next.file, file);
  return {
    current: { ...next, file, place: "current" },
    previous: { ...current, file: kept, place: "previous" },
  };
}

/**
 * Deletes the private part of an earlier key. Its receipts stay valid. Its seals no longer count, so open calls and
 * grants from its time end.
 */
export function retireSigningKey(file: string, kid: string): void {
  const keys = findKeys(file, kid);
  for (const key of keys) replaceWithPublicKey(file, key);
}

/**
 * Records that a key is revoked from a time on, and retires it. A later call can only move the time back, because
 * receipts that were rejected must not become valid again. Returns the time that is recorded.
 */
export function revokeSigningKey(file: string, kid: string, at: number): number {
  const keys = findKeys(file, kid);
  const known = readRevocations(file);
  const revokedAt = Math.min(at, known[kid] ?? at);
  const revocations = Object.entries({ ...known, [kid]: revokedAt }).map(
    ([id, time]) => [id, new Date(time).toISOString()] as const,
  );
  writeDurably(findRevocationFile(file), `${JSON.stringify(Object.fromEntries(revocations), null, 2)}\n`, {
    owner: statSync(file),
  });
  for (const key of keys) replaceWithPublicKey(file, key);
  return revokedAt;
}

/** Returns the files of a key that is not the current one. */
function findKeys(file: string, kid: string): readonly StoredKey[] {
  const current = requireCurrentKey(file);
  if (current.publicKey.kid === kid)
    throw fault(
      "signing-key-current",
      `\`${kid}\` is the current signing key. Replace it first with \`paraph signing-key rotate\`.`,
    );
  const found = readKeyFolder(file).filter(({ publicKey }) => publicKey.kid === kid);
  if (found.length === 0)
    throw fault(
      "signing-key-unknown",
      `There is no signing key \`${kid}\` beside \`${file}\`. \`paraph signing-key list\` shows the keys.`,
    );
  return found;
}

/** A key in `next` that is only a public key could never become current, so its file moves to `previous`. */
function replaceWithPublicKey(file: string, { file: path, place, publicKey, privateKey }: StoredKey): void {
  if (!privateKey) return;
  const folder = join(dirname(file), "previous");
  makeFolder(folder, file);
  const pem = createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
  writeDurably(place === "next" ? join(folder, `${publicKey.kid}.pem`) : path, pem, {
    owner: statSync(file),
  });
  if (place === "next") rmSync(path);
}

function requireCurrentKey(file: string): StoredKey {
  const [current] = readKeyFolder(file);
  if (current?.place === "current") return current;
  throw fault(
    "signing-key-unknown",
    `The signing key \`${file}\` does not exist. Name its file with \`--signing-key\`.`,
  );
}

function findNextKey(file: string): StoredKey | undefined {
  const [next, ...more] = readKeyFolder(file).filter(({ place }) => place === "next");
  if (more.length === 0) return next;
  throw fault(
    "signing-key-invalid",
    `The folder \`${dirname(next!.file)}\` has ${more.length + 1} keys. Keep the one that is on all hosts, and remove the others.`,
  );
}

function makeFolder(folder: string, file: string): void {
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) === undefined) return;
  const { uid, gid } = statSync(file);
  if (process.getuid?.() === 0) chownSync(folder, uid, gid);
}

function fault(code: ParaphErrorCode, message: string): ParaphError {
  return new ParaphError(code, message);
}
