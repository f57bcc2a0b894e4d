import { lstat } from "node:fs/promises";
import { CapabilityError } from "@paraph/core";
import { hasErrno, notFound } from "./file-fault.ts";
import { demandFile, look } from "./look.ts";
import type { Place } from "./path.ts";
import { inside, type Reached, within } from "./rooted.ts";
import { type Held, stampOf, treeMark, treeOf } from "./tree.ts";

/** What is at a place, where a folder will do as well as a file. Links and special files are refused. */
export type Entry = { readonly kind: "absent" } | Thing;
export type Thing = FileEntry | FolderEntry;

export interface FileEntry {
  readonly kind: "file";
  readonly bytes: number;
  readonly mode: number;
  readonly mark: string;
  /** Not read where the file is larger than `maxBytes`. */
  readonly content?: Buffer;
}

export interface FolderEntry {
  readonly kind: "folder";
  readonly held: readonly Held[];
  readonly mark: string;
}

/** `name` is the place's own unless the thing was set aside. */
export async function entryAt(
  { folder, missing }: Reached,
  place: Place,
  maxBytes: number,
  name = place.name,
): Promise<Entry> {
  if (missing.length > 0) return { kind: "absent" };
  try {
    const stat = await lstat(await within(folder, name), { bigint: true });
    if (stat.isDirectory()) {
      const held = await inside(folder, name, (inner) => treeOf(inner, place.path, maxBytes));
      return held ? { kind: "folder", held, mark: treeMark(held) } : { kind: "absent" };
    }
    demandFile(stat, place.path);
    const mode = Number(stat.mode & 0o777n);
    if (stat.size > maxBytes) return { kind: "file", bytes: Number(stat.size), mode, mark: stampOf(stat) };
    const found = await look(folder, name, place.path, maxBytes);
    if (found.kind === "absent") return found;
    const { content, sha256 } = found;
    return { kind: "file", bytes: content.length, mode: found.stat.mode & 0o777, mark: sha256, content };
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return { kind: "absent" };
    throw error;
  }
}

export function demandThere(entry: Entry, { path }: Place): Thing {
  if (entry.kind === "absent") throw notFound(path);
  return entry;
}

/** Anything at all in the way is in the way, a link or a device too. */
export async function demandFree({ folder, missing }: Reached, { name, path }: Place): Promise<void> {
  if (missing.length > 0) return;
  const taken = await lstat(await within(folder, name)).then(
    () => true,
    (error) => {
      if (hasErrno(error, "ENOENT")) return false;
      throw error;
    },
  );
  if (taken) throw exists(path);
}

export function exists(path: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "exists",
    `\`${path}\` exists already: choose another name, or delete it first.`,
  );
}
