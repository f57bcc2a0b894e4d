import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * The names of the data folder and its files, the same as in `localFiles` of @paraph/server. They are repeated here,
 * because importing `localFiles` would load the server.
 */
export const dataFolderName = ".paraph";
export const stateFile = "state.json";
export const trustedKeysFile = "trusted-keys.json";

/**
 * Finds the `.paraph` folder in this folder or in the nearest parent that has one. The `.paraph` folder, and a link
 * with its name, must belong to this user or to root. Otherwise any user who can write in `/tmp` could choose the keys
 * or the server.
 */
export function findParaphFolder(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const candidate = join(folder, dataFolderName);
    if (existsSync(candidate) && isTrustedOwner(candidate)) return candidate;
    if (dirname(folder) === folder) return undefined;
  }
}

function isTrustedOwner(path: string): boolean {
  const user = process.getuid?.();
  return (
    user === undefined || [lstatSync(path), statSync(path)].every(({ uid }) => uid === user || uid === 0)
  );
}
