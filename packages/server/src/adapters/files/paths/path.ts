import { posix, win32 } from "node:path";
import { CapabilityError } from "@paraph/core";
import { isParaphFolder } from "../../paraph-folder.ts";
import { isDraft } from "../drafts/draft-name.ts";

/** Where a path leads, in one spelling: the folders below the root, then the name. */
export interface FilePath {
  readonly path: string;
  readonly folders: readonly string[];
  readonly name: string;
}

export function parseFilePath(path: string): FilePath {
  const names = parsePathNames(path);
  const name = names.at(-1);
  if (name === undefined)
    throw new CapabilityError(
      "permanent",
      "not-a-file",
      "The path names the root folder: name something in it.",
    );
  return { path: names.join("/"), folders: names.slice(0, -1), name };
}

/** The names below the root. What could lead elsewhere is refused as text, before any of it reaches the system. */
export function parsePathNames(path: string): string[] {
  const refuse = (code: string, message: string) => new CapabilityError("permanent", code, message);
  // Neither is quoted back: a NUL cannot be stored as text, and half a character has no bytes of its own.
  if (path.includes("\0"))
    throw refuse("path-invalid", "The path has a NUL character in it: send it without.");
  if (!path.isWellFormed())
    throw refuse("path-invalid", "The path has half a Unicode character in it: send it whole.");
  if (isAbsolute(path)) {
    throw refuse("path-outside-root", `\`${path}\` is an absolute path: send one relative to the root.`);
  }
  const names = path.split(separator).filter((name) => name !== "" && name !== ".");
  // Not resolved even where it would stay inside: what `a/..` is depends on what `a` is.
  if (names.includes(".."))
    throw refuse("path-outside-root", `\`${path}\` has \`..\` in it: name the file without.`);
  if (names.some(isDraft))
    throw refuse("path-reserved", `\`${path}\` is a name Paraph keeps for drafts: use another.`);
  if (names.some(isParaphFolder))
    throw refuse(
      "path-reserved",
      "`.paraph` is Paraph's own folder, with its keys: no call reaches into it.",
    );
  return names;
}

/**
 * One key however the path is spelled; a path that is refused anyway needs none. It begins with the adapter's name:
 * another adapter's root holds other files.
 *
 * A key stands for one path, not for what is below it: a call on a folder does not wait for calls on files in it, nor
 * they for it. Keys for every folder above would make all calls in one root wait for each other. What is protected all
 * the same: a folder that changed since it was approved is not moved or deleted. What is not: a file written into a
 * folder at the very moment that folder is moved or deleted goes with it, though its own call succeeded.
 */
export function listFileLocks(adapter: string, path: string): string[] {
  try {
    return [`${adapter}:${foldPath(parsePathNames(path).join("/"))}`];
  } catch {
    return [];
  }
}

const isWindows = process.platform === "win32";
const separator = isWindows ? /[\\/]/ : "/";

/** `C:x` and `a:stream` lead elsewhere on Windows as well; elsewhere a colon is a letter like any other. */
function isAbsolute(path: string): boolean {
  return isWindows ? win32.isAbsolute(path) || path.includes(":") : posix.isAbsolute(path);
}

/** Is the second path the first one, or below it? */
export function isSameOrBelow(outer: FilePath, inner: FilePath): boolean {
  return `${foldPath(inner.path)}/`.startsWith(`${foldPath(outer.path)}/`);
}

/** Off Linux two spellings may be one file. A key shared by two files only makes one of them wait. */
function foldPath(path: string): string {
  return process.platform === "linux" ? path : path.normalize("NFC").toLowerCase();
}
