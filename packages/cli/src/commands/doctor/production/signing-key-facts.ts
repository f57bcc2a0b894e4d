import { statSync } from "node:fs";
import { createFileSigner, listKeyFiles } from "@paraph/server/signing-keys";
import { findSigningKeyFile, isPrivate } from "../../start/signing-key.ts";
import type { SigningKeyFacts } from "./signing-key-checks.ts";

/** Reads the signing key of this host. It never creates one. */
export function readSigningKey(
  environment: NodeJS.ProcessEnv,
  signingKey: string | undefined,
  now = Date.now(),
): Omit<SigningKeyFacts, "isElsewhere" | "serverKeyId" | "hosts"> {
  const file = findSigningKeyFile(environment, signingKey);
  const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file === undefined || !found) return { file, keyId: undefined, exposed: [], ageMs: 0 };
  const exposed = listKeyFiles(file)
    .map(([path]) => path)
    .filter(isExposed);
  return { file, keyId: readKeyId(file), exposed, ageMs: Math.max(0, now - found.mtimeMs) };
}

/** Root runs the checks for another user, so the owner of the file counts as that user. */
function isExposed(file: string): boolean {
  const found = statSync(file);
  const uid = process.getuid?.();
  return uid !== undefined && !isPrivate(found, uid === 0 ? found.uid : uid);
}

function readKeyId(file: string): string | undefined {
  try {
    return createFileSigner(file).keyId;
  } catch {
    return undefined;
  }
}
