import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { CapabilityError } from "@paraph/core";
import { isParaphFolder } from "../../paraph-folder.ts";
import { isDraft } from "../drafts/draft-name.ts";
import { hasErrno } from "../file-fault.ts";
import { type OpenFolder, resolveInFolder, withSubfolder } from "../paths/open-folder.ts";
import { readFileAtPath } from "./read-file.ts";

/** One entry in a folder or below it. */
export interface TreeEntry {
  /** The path relative to the folder. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly bytes: number;
  /**
   * A value that shows whether the entry is unchanged: a content hash, or a stamp if there is too much content to read.
   */
  readonly mark: string;
}

/**
 * The maximum number of entries that a person can review. Paraph does not delete or move a folder with more entries.
 */
export const maxTreeEntries = 10_000;
const maxDepth = 64;

/**
 * Lists everything in a folder except drafts. It lists links without following them, and rejects entries that are
 * neither file, folder nor link.
 */
export async function readFolderTree(
  folder: OpenFolder,
  path: string,
  maxBytes: number,
): Promise<TreeEntry[]> {
  const held: TreeEntry[] = [];
  let readable = maxBytes;

  const walk = async (here: OpenFolder, prefix: string, depth: number): Promise<void> => {
    const { dev } = await here.handle.stat({ bigint: true });
    const names = await readdir(await resolveInFolder(here, "."));
    for (const name of names.filter((each) => !isDraft(each)).sort()) {
      const stat = await readStat(here, name, `${path}/${prefix}${name}`);
      if (stat === undefined) continue;
      if (isParaphFolder(name)) throw folderRefusedFault(path, "it contains Paraph's own folder");
      if (stat.dev !== dev) throw folderRefusedFault(path, "another file system is mounted in it");
      if (held.length >= maxTreeEntries)
        throw folderRefusedFault(path, `it holds more than ${maxTreeEntries} entries`);
      const shown = prefix + name;
      if (stat.isDirectory()) {
        if (depth >= maxDepth)
          throw folderRefusedFault(path, `its folders are nested more than ${maxDepth} levels deep`);
        held.push({ path: shown, kind: "folder", bytes: 0, mark: "" });
        await withSubfolder(here, name, (inner) => walk(inner, `${shown}/`, depth + 1));
      } else if (stat.isFile()) held.push(await fileOf(here, name, shown, stat));
      else if (stat.isSymbolicLink()) held.push({ path: shown, kind: "link", bytes: 0, mark: toStamp(stat) });
      else throw folderRefusedFault(path, `\`${shown}\` in it is a device, a pipe or a socket`);
    }
  };

  /**
   * Returns a file's entry. Paraph reads at most `maxBytes` of content for the whole folder, and uses stamps for the
   * remaining files. The order of the files is fixed, so the same files always get stamps.
   */
  const fileOf = async (
    here: OpenFolder,
    name: string,
    shown: string,
    stat: BigIntStats,
  ): Promise<TreeEntry> => {
    const bytes = Number(stat.size);
    const entry = { path: shown, kind: "file", bytes } as const;
    if (bytes > readable) return { ...entry, mark: toStamp(stat) };
    readable -= bytes;
    const found = await readFileAtPath(here, name, `${path}/${shown}`, maxBytes);
    return { ...entry, mark: found.kind === "file" ? found.sha256 : "" };
  };

  await walk(folder, "", 1);
  return held;
}

export function hashTree(held: readonly TreeEntry[]): string {
  const hash = createHash("sha256");
  for (const { path, kind, bytes, mark } of held)
    hash.update(`${JSON.stringify([path, kind, bytes, mark])}\n`);
  return hash.digest("hex");
}

/**
 * Returns a value that stays the same after a move and differs after every ordinary change. It consists of the inode,
 * the size and the time of the last write.
 */
export function toStamp({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}-${size}-${mtimeNs}`;
}

async function readStat(folder: OpenFolder, name: string, path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(await resolveInFolder(folder, name), { bigint: true });
  } catch (error) {
    if (!hasErrno(error, "ENOENT")) throw error;
    // Either the entry was removed after the listing, or its name is not valid Unicode. Paraph rejects an invalid name,
    // because it can neither show nor address the entry.
    if (name.includes("\ufffd")) throw folderRefusedFault(path, "its name is not Unicode");
    return undefined;
  }
}

function folderRefusedFault(path: string, reason: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "folder-refused",
    `Paraph cannot process \`${path}\`, because ${reason}. Change parts of it in separate calls, or make the change outside Paraph.`,
  );
}
