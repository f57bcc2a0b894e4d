import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { hasErrno, linkRefusedFault, toFileFault } from "../file-fault.ts";
import type { Root } from "./root.ts";

/** A folder below the root, held open: it stays this very folder whatever is moved about around it. */
export interface OpenFolder {
  readonly handle: FileHandle;
  /** Its path when it was entered. On Linux only for messages. */
  readonly path: string;
  readonly root: Root;
}

/** How far a path leads: the last folder that is there, and the names of those that are not. */
export interface ReachedFolder {
  readonly folder: OpenFolder;
  readonly missing: readonly string[];
}

/**
 * Walks down to a folder and holds it open for the body alone. The only way to get at one: a path through a handle
 * that was closed too early would lead wherever the system used its number next.
 */
export async function withOpenFolder<T>(
  root: Root,
  names: readonly string[],
  body: (reached: ReachedFolder) => Promise<T>,
  make = false,
): Promise<T> {
  const reached = await openFolderPath(root, names, make);
  try {
    return await body(reached);
  } finally {
    await reached.folder.handle.close();
  }
}

/** The same one step further down; undefined where there is no such folder. */
export async function withSubfolder<T>(
  folder: OpenFolder,
  name: string,
  body: (inner: OpenFolder) => Promise<T>,
): Promise<T | undefined> {
  const inner = await openSubfolder(folder, name);
  if (inner === undefined) return undefined;
  try {
    return await body(inner);
  } finally {
    await inner.handle.close();
  }
}

/** A path to `name` in this folder, for one use right away. Whoever uses it sees to it that a link there is not followed. */
export async function resolveInFolder(folder: OpenFolder, name: string): Promise<string> {
  // Node has no openat(2). Through /proc the kernel starts from the open folder itself, not from a name for it.
  if (folder.root.isRaceFree) return `/proc/self/fd/${folder.handle.fd}/${name}`;
  await requireSamePath(folder.handle, folder.path, folder.root);
  return join(folder.path, name);
}

/** Opens `name` in this folder; a link there is never followed, a fifo never waited for. */
export async function openInFolder(
  folder: OpenFolder,
  name: string,
  flags: number,
  mode?: number,
): Promise<FileHandle> {
  const path = await resolveInFolder(folder, name);
  const handle = await open(path, flags | noFollowFlag | noWaitFlags, mode);
  try {
    if (!folder.root.isRaceFree) await requireSamePath(handle, path, folder.root);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What was named in this folder is on disk. Some file systems have no such call for folders, nor has Windows. */
export async function syncFolder(folder: OpenFolder): Promise<void> {
  if (process.platform === "win32") return;
  await folder.handle.sync().catch((error) => {
    if (!hasErrno(error, "EINVAL", "ENOTSUP")) throw error;
  });
}

/** One folder at a time, never through a link. */
async function openFolderPath(root: Root, names: readonly string[], make: boolean): Promise<ReachedFolder> {
  let folder: OpenFolder = { handle: await open(root.path, folderFlags), path: root.path, root };
  try {
    for (const [index, name] of names.entries()) {
      const next =
        (await openSubfolder(folder, name)) ?? (make ? await createSubfolder(folder, name) : undefined);
      if (next === undefined) return { folder, missing: names.slice(index) };
      await folder.handle.close();
      folder = next;
    }
    return { folder, missing: [] };
  } catch (error) {
    await folder.handle.close();
    throw error;
  }
}

async function openSubfolder(folder: OpenFolder, name: string): Promise<OpenFolder | undefined> {
  const path = join(folder.path, name);
  const shown = path.slice(folder.root.path.length + 1);
  try {
    if (!folder.root.isRaceFree && (await isLink(folder, name))) throw linkRefusedFault(shown);
    return { handle: await openInFolder(folder, name, folderFlags), path, root: folder.root };
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    // For a link as for a file the system says "not a folder"; the caller is told which.
    if (hasErrno(error, "ENOTDIR") && (await isLink(folder, name))) throw linkRefusedFault(shown);
    throw toFileFault(error, shown);
  }
}

/** On disk before anything is put into it: a crash leaves no gap in the path. */
async function createSubfolder(folder: OpenFolder, name: string): Promise<OpenFolder | undefined> {
  await mkdir(await resolveInFolder(folder, name)).catch((error) => {
    if (!hasErrno(error, "EEXIST")) throw error;
  });
  await syncFolder(folder);
  return openSubfolder(folder, name);
}

async function isLink(folder: OpenFolder, name: string): Promise<boolean> {
  return lstat(await resolveInFolder(folder, name)).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

/**
 * Off Linux: is the open file what its path leads to, and is that below the root without a link? Weaker than holding
 * the folder: one who swaps it right after this and back before the next look is not seen.
 */
async function requireSamePath(handle: FileHandle, path: string, root: Root): Promise<void> {
  const held = await handle.stat({ bigint: true });
  const named = await stat(path, { bigint: true });
  const real = await realpath(path);
  const shown = `\`${path.slice(root.path.length + 1)}\``;
  if (real !== path) throw new CapabilityError("permanent", "path-outside-root", `${shown} leads elsewhere.`);
  // Replaced meanwhile, as every whole write does: nothing wrong with it, the next look finds the new one.
  if (held.dev !== named.dev || held.ino !== named.ino)
    throw new CapabilityError("not-performed", "busy", `${shown} changed while it was opened.`);
}

// Windows knows none of these flags.
const noFollowFlag = constants.O_NOFOLLOW ?? 0;
const noWaitFlags = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | noFollowFlag;
