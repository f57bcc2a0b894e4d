import { posix, win32 } from "node:path";
import { CapabilityError } from "@paraph/core";
import { isParaphFolder } from "../../paraph-folder.ts";
import { isDraft } from "../drafts/draft-name.ts";

/** A path in its canonical form: the folders below the root, then the name. */
export interface FilePath {
  readonly path: string;
  readonly folders: readonly string[];
  readonly name: string;
}

export function parseFilePath(path: string): FilePath {
  const names = parsePathNames(path);
  const name = names.at(-1);
  if (name === undefined)
    throw new CapabilityError("permanent", "not-a-file", "The path is the root folder. Use a path below it.");
  return { path: names.join("/"), folders: names.slice(0, -1), name };
}

/**
 * Returns the names in a path below the root. Before it calls the operating system, it rejects any text that could lead
 * outside the root.
 */
export function parsePathNames(path: string): string[] {
  const refuse = (code: string, message: string) => new CapabilityError("permanent", code, message);
  // The next two errors do not quote the path, because PostgreSQL cannot store a NUL as text and an incomplete Unicode
  // character has no encoding.
  if (path.includes("\0")) throw refuse("path-invalid", "The path contains a NUL character. Remove it.");
  if (!path.isWellFormed())
    throw refuse(
      "path-invalid",
      "The path contains an incomplete Unicode character. Send the complete character.",
    );
  if (isAbsolute(path)) {
    throw refuse("path-outside-root", `\`${path}\` is an absolute path. Use a path relative to the root.`);
  }
  const names = path.split(separator).filter((name) => name !== "" && name !== ".");
  // Paraph rejects `..` even inside the root, because the target of `a/..` depends on whether `a` is a link.
  if (names.includes(".."))
    throw refuse("path-outside-root", `\`${path}\` contains \`..\`. Use a path without it.`);
  if (names.some(isDraft))
    throw refuse("path-reserved", `\`${path}\` is a name that Paraph reserves for drafts. Use another name.`);
  if (names.some(isParaphFolder))
    throw refuse(
      "path-reserved",
      "`.paraph` is Paraph's own folder and contains its keys. Calls cannot access it.",
    );
  return names;
}

/**
 * Returns the same lock key for every spelling of a path, and no key for a path that Paraph rejects. The key starts
 * with the adapter's name, because each adapter has its own root.
 *
 * A key covers one path and not the entries below it. A call on a folder and a call on a file in it do not wait for
 * each other. Keys for every parent folder would serialise all calls of one root. Paraph never moves or deletes a
 * folder that changed since its approval. One gap remains. If a call writes a file while another call moves or deletes
 * its folder, the file goes with the folder, although the write succeeded.
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

/**
 * Whether the path is absolute. On Windows, any path with a colon counts as absolute, because `C:x` and `a:stream` do
 * not name a file below the root. On other systems, a colon is an ordinary character.
 */
function isAbsolute(path: string): boolean {
  return isWindows ? win32.isAbsolute(path) || path.includes(":") : posix.isAbsolute(path);
}

/** Whether the inner path equals the outer path or is below it. */
export function isSameOrBelow(outer: FilePath, inner: FilePath): boolean {
  return `${foldPath(inner.path)}/`.startsWith(`${foldPath(outer.path)}/`);
}

/**
 * Converts a path to one form, because on systems other than Linux two spellings may name one file. If two different
 * files get the same form, the only consequence is that one call waits for the other.
 */
function foldPath(path: string): string {
  return process.platform === "linux" ? path : path.normalize("NFC").toLowerCase();
}
