import { statSync } from "node:fs";
import { listKeyFiles, readKeyFolder, type StoredKey } from "@paraph/server/signing-keys";
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
  if (file === undefined || !found)
    return { file, keyId: undefined, earlierKeyIds: [], exposed: [], ageMs: 0 };
  const keys = readKeys(file);
  const listIds = (place: StoredKey["place"]) =>
    keys.flatMap((key) => (key.place === place ? key.publicKey.kid : []));
  const exposed = listKeyFiles(file)
    .map(([path]) => path)
    .filter(isExposed);
  return {
    ...{ file, keyId: listIds("current")[0], earlierKeyIds: listIds("previous") },
    ...{ exposed, ageMs: Math.max(0, now - found.mtimeMs) },
  };
}

/** Root runs the checks for another user, so the owner of the file counts as that user. */
function isExposed(file: string): boolean {
  const found = statSync(file);
  const uid = process.getuid?.();
  return uid !== undefined && !isPrivate(found, uid === 0 ? found.uid : uid);
}

function readKeys(file: string): readonly StoredKey[] {
  try {
    return readKeyFolder(file);
  } catch {
    return [];
  }
}
