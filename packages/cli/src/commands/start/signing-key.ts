import { existsSync, type Stats, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { createFileSigner, type FileSigner, listKeyFiles } from "@paraph/server/signing-keys";
import { CliError } from "../../lib/cli-error.ts";
import type { StartOptions } from "./start.ts";

/** Opens the signing key. Only an explicit option creates it, because every host needs the same key. */
export function openSigner(
  environment: NodeJS.ProcessEnv,
  { signingKey, createSigningKey }: Pick<StartOptions, "signingKey" | "createSigningKey">,
): FileSigner {
  const file = requireSigningKeyFile(environment, signingKey);
  if (!createSigningKey && !existsSync(file))
    throw new CliError(
      "no-signing-key",
      `The signing key \`${file}\` does not exist. Copy it from a host that already runs this Paraph. For the first start of a new deployment, add \`--create-signing-key\`.`,
    );
  requirePrivateKeys(file);
  return createFileSigner(file);
}

/** Returns the path of the signing key, or undefined if none is given. The file need not exist. */
export function findSigningKeyFile(
  environment: NodeJS.ProcessEnv,
  signingKey: string | undefined,
): string | undefined {
  const [stateFolder] = environment.STATE_DIRECTORY?.split(":") ?? [];
  const given =
    signingKey ??
    environment.PARAPH_SIGNING_KEY ??
    (stateFolder ? join(stateFolder, "signing.pem") : undefined);
  return given === undefined ? undefined : resolve(given);
}

/** Returns the path of the signing key, or throws if none is given. The file need not exist. */
export function requireSigningKeyFile(
  environment: NodeJS.ProcessEnv,
  signingKey: string | undefined,
): string {
  const file = findSigningKeyFile(environment, signingKey);
  if (file !== undefined) return file;
  throw new CliError(
    "no-signing-key",
    "No signing key is given. Name its file with `--signing-key` or PARAPH_SIGNING_KEY.",
  );
}

/**
 * Refuses key files that other users can read. A reader of a key can forge receipts, and seals that let Paraph act
 * without an approval. The next key and earlier keys count too, because their seals are valid.
 */
function requirePrivateKeys(file: string): void {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  for (const [key] of listKeyFiles(file)) {
    const found = statSync(key, { throwIfNoEntry: false });
    if (!found || isPrivate(found, uid)) continue;
    const isOurs = found.uid === uid;
    throw new CliError(
      "signing-key-exposed",
      `Other users can read the signing key \`${key}\`. ${
        isOurs
          ? `It has mode ${toOctal(found.mode)}`
          : `It belongs to user ${found.uid} with mode ${toOctal(found.mode)}, and this process runs as user ${uid}`
      }. With the key, they can forge receipts and approvals. Make it private with \`${
        isOurs ? "" : `chown ${uid} ${key} && `
      }chmod 600 ${key}\`. If untrusted users could have read it, replace the key.`,
    );
  }
}

/**
 * Whether only this user and root can read the file. As with PostgreSQL's TLS key, a file of root may be readable by
 * one group, so that a secret store can provide it.
 */
export function isPrivate({ uid, mode }: Stats, user: number): boolean {
  if (uid === user) return (mode & 0o077) === 0;
  return uid === 0 && (mode & 0o037) === 0;
}

function toOctal(mode: number): string {
  return (mode & 0o777).toString(8);
}
