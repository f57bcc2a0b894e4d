import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Names inside `.paraph`, as @paraph/server's `localFiles` has them; said again because that import loads a server. */
export const dataFolderName = ".paraph";
export const stateFile = "state.json";
export const trustedKeysFile = "trusted-keys.json";

/**
 * The `.paraph` of this folder or of the nearest one above. Only one that belongs to this user or to root counts:
 * whoever may write in `/tmp` must not choose our keys or our server.
 */
export function findParaphFolder(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const candidate = join(folder, dataFolderName);
    if (existsSync(candidate) && isTrustedOwner(candidate)) return candidate;
    if (dirname(folder) === folder) return undefined;
  }
}

function isTrustedOwner(path: string): boolean {
  const { uid } = statSync(path);
  return process.getuid === undefined || uid === process.getuid() || uid === 0;
}
