import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, sep, win32 } from "node:path";
import { CapabilityError } from "@paraph/core";
import { isParaphFolder } from "../../paraph-folder.ts";

/**
 * Returns the absolute path of a file below a folder. A tool cannot mistake an absolute path for an option. The
 * function rejects a path that leads outside the folder, directly or through a link. Only the sandbox protects against
 * a link that is created after this check, because the sandbox contains nothing but the folder.
 */
export async function resolveInRoot(root: string, path: string): Promise<string> {
  const names = splitPath(path);
  if (isAbsolute(path) || (process.platform === "win32" && (win32.isAbsolute(path) || path.includes(":"))))
    throw pathOutsideFault("is absolute. Send a path relative to its folder");
  if (names.includes("..")) throw pathOutsideFault("contains `..`. Send a path without it");
  if (names.some(isParaphFolder))
    throw pathOutsideFault("points into Paraph's own folder, which calls cannot access. Send another path");
  const whole = join(root, ...names);
  const home = await realpath(root).catch(() => undefined);
  if (home === undefined) throw new CapabilityError("permanent", "folder-missing", folderMissingMessage);
  const real = await findRealPath(whole);
  if (real !== home && !real.startsWith(home.endsWith(sep) ? home : home + sep))
    throw pathOutsideFault("leads out of its folder through a link. Send a path inside the folder");
  return whole;
}

/** Normalizes a relative path to one spelling. */
export function normalizePath(path: string): string {
  return isAbsolute(path) ? path : splitPath(path).join("/") || ".";
}

function splitPath(path: string): string[] {
  return path
    .split(process.platform === "win32" ? /[\\/]/ : "/")
    .filter((name) => name !== "" && name !== ".");
}

/**
 * Returns the real path of the given path. If the path does not exist, returns the real path of its nearest existing
 * parent.
 */
async function findRealPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || dirname(path) === path) throw pathUnreadableFault();
    return findRealPath(dirname(path));
  }
}

const folderMissingMessage =
  "The folder that must contain the path does not exist. Create it, or correct `folders`.";

function pathOutsideFault(reason: string): CapabilityError {
  return new CapabilityError("permanent", "path-outside-root", `The path ${reason}.`);
}

function pathUnreadableFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "path-invalid",
    "The server's user can't access this path. Check the path and its permissions.",
  );
}
