import { lstatSync } from "node:fs";
import { join } from "node:path";

/**
 * [TRUST 31] Returns whether a path below a folder is a link, or leads through one. A copy of a project can contain links
 * to any folder of the user.
 */
export function isBehindLink(folder: string, path: string): boolean {
  const parts = path.split("/");
  return parts.some((_, index) =>
    lstatSync(join(folder, ...parts.slice(0, index + 1)), { throwIfNoEntry: false })?.isSymbolicLink(),
  );
}
