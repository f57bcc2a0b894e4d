import { lstat } from "node:fs/promises";
import { CapabilityError } from "@paraph/core";
import { hasErrno, notFoundFault } from "../file-fault.ts";
import { type ReachedFolder, resolveInFolder, withSubfolder } from "../paths/open-folder.ts";
import type { FilePath } from "../paths/path.ts";
import { readFileAtPath, requireRegularFile } from "./read-file.ts";
import { hashTree, readFolderTree, type TreeEntry, toStamp } from "./tree.ts";

/** The entry at a path: none, a file or a folder. Paraph rejects links and special files. */
export type PathEntry = { readonly kind: "absent" } | ExistingEntry;
export type ExistingEntry = FileEntry | FolderEntry;

export interface FileEntry {
  readonly kind: "file";
  readonly bytes: number;
  readonly mode: number;
  readonly mark: string;
  /** The content, or undefined if the file is larger than `maxBytes`. */
  readonly content?: Buffer;
}

export interface FolderEntry {
  readonly kind: "folder";
  readonly contents: readonly TreeEntry[];
  readonly mark: string;
}

/** Reads the entry at a path. `name` differs from the path's own name only for a staged entry. */
export async function readEntry(
  { folder, missing }: ReachedFolder,
  place: FilePath,
  maxBytes: number,
  name = place.name,
): Promise<PathEntry> {
  if (missing.length > 0) return { kind: "absent" };
  try {
    const stat = await lstat(await resolveInFolder(folder, name), { bigint: true });
    if (stat.isDirectory()) {
      const held = await withSubfolder(folder, name, (inner) => readFolderTree(inner, place.path, maxBytes));
      return held ? { kind: "folder", contents: held, mark: hashTree(held) } : { kind: "absent" };
    }
    requireRegularFile(stat, place.path);
    const mode = Number(stat.mode & 0o777n);
    if (stat.size > maxBytes) return { kind: "file", bytes: Number(stat.size), mode, mark: toStamp(stat) };
    const found = await readFileAtPath(folder, name, place.path, maxBytes);
    if (found.kind === "absent") return found;
    const { content, sha256 } = found;
    return { kind: "file", bytes: content.length, mode: found.stat.mode & 0o777, mark: sha256, content };
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return { kind: "absent" };
    throw error;
  }
}

export function requireExisting(entry: PathEntry, { path }: FilePath): ExistingEntry {
  if (entry.kind === "absent") throw notFoundFault(path);
  return entry;
}

/** Rejects a destination that exists in any form, including links and devices. */
export async function requireFreePath(
  { folder, missing }: ReachedFolder,
  { name, path }: FilePath,
): Promise<void> {
  if (missing.length > 0) return;
  const taken = await lstat(await resolveInFolder(folder, name)).then(
    () => true,
    (error) => {
      if (hasErrno(error, "ENOENT")) return false;
      throw error;
    },
  );
  if (taken) throw existsFault(path);
}

export function existsFault(path: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "exists",
    `\`${path}\` already exists. Choose another name, or delete it first.`,
  );
}
