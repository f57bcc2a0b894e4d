import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { hasErrno, linkRefusedFault, toFileFault } from "../file-fault.ts";
import type { Root } from "./root.ts";

/**
 * An open folder at or below the root. The handle keeps referring to the same folder, even if other programs move
 * folders.
 */
export interface OpenFolder {
  readonly handle: FileHandle;
  /** The path at the time of opening. On Linux, Paraph uses it only in messages. */
  readonly path: string;
  readonly root: Root;
}

/** The result of following a path: the last existing folder and the names of the missing ones. */
export interface ReachedFolder {
  readonly folder: OpenFolder;
  readonly missing: readonly string[];
}

/**
 * Opens a folder below the root and keeps it open only while the body runs. The body must not keep the folder for later
 * use, because the system reuses the number of a closed handle. A path through that number would then lead to another
 * file.
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

/**
 * Opens a folder inside an open folder and keeps it open while the body runs. Returns undefined if the folder does not
 * exist.
 */
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

/** Returns a path to `name` in this folder for one immediate use. The caller must not follow a link there. */
export async function resolveInFolder(folder: OpenFolder, name: string): Promise<string> {
  // Node has no openat(2). A path through /proc makes the kernel start from the open folder itself instead of its name.
  if (folder.root.isRaceFree) return `/proc/self/fd/${folder.handle.fd}/${name}`;
  await requireSamePath(folder.handle, folder.path, folder.root);
  return join(folder.path, name);
}

/** Opens `name` in this folder. It never follows a link and never waits for a fifo. */
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

/**
 * Waits until the folder's entries are on disk. Does nothing on Windows and on file systems that cannot sync folders.
 */
export async function syncFolder(folder: OpenFolder): Promise<void> {
  if (process.platform === "win32") return;
  await folder.handle.sync().catch((error) => {
    if (!hasErrno(error, "EINVAL", "ENOTSUP")) throw error;
  });
}

/** Opens the folders of a path one after another and never follows a link. */
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
    // The system reports "not a folder" for a link and for a file alike. This check gives the caller the more precise
    // error.
    if (hasErrno(error, "ENOTDIR") && (await isLink(folder, name))) throw linkRefusedFault(shown);
    throw toFileFault(error, shown);
  }
}

/** Creates a folder and syncs it to disk before it is used, so that a crash leaves no gap in the path. */
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
 * Rejects an open file that is not the file at its path, or whose path contains a link. Paraph uses this check on
 * systems other than Linux. The check is weaker than an open folder handle, because another program can swap a folder
 * after one check and restore it before the next.
 */
async function requireSamePath(handle: FileHandle, path: string, root: Root): Promise<void> {
  const held = await handle.stat({ bigint: true });
  const named = await stat(path, { bigint: true });
  const real = await realpath(path);
  const shown = `\`${path.slice(root.path.length + 1)}\``;
  if (real !== path)
    throw new CapabilityError(
      "permanent",
      "path-outside-root",
      `${shown} leads through a link, and Paraph does not follow links. Use a path without links.`,
    );
  // Another program replaced the file while Paraph opened it, as atomic writes do. A retry finds the new file.
  if (held.dev !== named.dev || held.ino !== named.ino)
    throw new CapabilityError(
      "not-performed",
      "busy",
      `${shown} changed while Paraph opened it. Paraph retries the call.`,
    );
}

// Windows does not define the open flags below, so their value there is 0.
const noFollowFlag = constants.O_NOFOLLOW ?? 0;
const noWaitFlags = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | noFollowFlag;
