import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { fileFault, hasErrno, linkRefused } from "./file-fault.ts";
import type { Root } from "./root.ts";

/** A folder below the root, held open: it stays this very folder whatever is moved about around it. */
export interface Folder {
  readonly handle: FileHandle;
  /** Its path when it was entered. On Linux only for messages. */
  readonly path: string;
  readonly root: Root;
}

/** How far a path leads: the last folder that is there, and the names of those that are not. */
export interface Reached {
  readonly folder: Folder;
  readonly missing: readonly string[];
}

/**
 * Walks down to a folder and holds it open for the body alone. The only way to get at one: a path through a handle
 * that was closed too early would lead wherever the system used its number next.
 */
export async function inFolder<T>(
  root: Root,
  names: readonly string[],
  body: (reached: Reached) => Promise<T>,
  make = false,
): Promise<T> {
  const reached = await descend(root, names, make);
  try {
    return await body(reached);
  } finally {
    await reached.folder.handle.close();
  }
}

/** The same one step further down; undefined where there is no such folder. */
export async function inside<T>(
  folder: Folder,
  name: string,
  body: (inner: Folder) => Promise<T>,
): Promise<T | undefined> {
  const inner = await enter(folder, name);
  if (inner === undefined) return undefined;
  try {
    return await body(inner);
  } finally {
    await inner.handle.close();
  }
}

/** A path to `name` in this folder, for one use right away. Whoever uses it sees to it that a link there is not followed. */
export async function within(folder: Folder, name: string): Promise<string> {
  // Node has no openat(2). Through /proc the kernel starts from the open folder itself, not from a name for it.
  if (folder.root.raceFree) return `/proc/self/fd/${folder.handle.fd}/${name}`;
  await confirm(folder.handle, folder.path, folder.root);
  return join(folder.path, name);
}

/** Opens `name` in this folder; a link there is never followed, a fifo never waited for. */
export async function openWithin(
  folder: Folder,
  name: string,
  flags: number,
  mode?: number,
): Promise<FileHandle> {
  const path = await within(folder, name);
  const handle = await open(path, flags | noFollow | noWait, mode);
  try {
    if (!folder.root.raceFree) await confirm(handle, path, folder.root);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What was named in this folder is on disk. Some file systems have no such call for folders, nor has Windows. */
export async function sync(folder: Folder): Promise<void> {
  if (process.platform === "win32") return;
  await folder.handle.sync().catch((error) => {
    if (!hasErrno(error, "EINVAL", "ENOTSUP")) throw error;
  });
}

/** One folder at a time, never through a link. */
async function descend(root: Root, names: readonly string[], make: boolean): Promise<Reached> {
  let folder: Folder = { handle: await open(root.path, asFolder), path: root.path, root };
  try {
    for (const [index, name] of names.entries()) {
      const next = (await enter(folder, name)) ?? (make ? await create(folder, name) : undefined);
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

async function enter(folder: Folder, name: string): Promise<Folder | undefined> {
  const path = join(folder.path, name);
  const shown = path.slice(folder.root.path.length + 1);
  try {
    if (!folder.root.raceFree && (await isLink(folder, name))) throw linkRefused(shown);
    return { handle: await openWithin(folder, name, asFolder), path, root: folder.root };
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    // For a link as for a file the system says "not a folder"; the caller is told which.
    if (hasErrno(error, "ENOTDIR") && (await isLink(folder, name))) throw linkRefused(shown);
    throw fileFault(error, shown);
  }
}

/** On disk before anything is put into it: a crash leaves no gap in the path. */
async function create(folder: Folder, name: string): Promise<Folder | undefined> {
  await mkdir(await within(folder, name)).catch((error) => {
    if (!hasErrno(error, "EEXIST")) throw error;
  });
  await sync(folder);
  return enter(folder, name);
}

async function isLink(folder: Folder, name: string): Promise<boolean> {
  return lstat(await within(folder, name)).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

/**
 * Off Linux: is the open file what its path leads to, and is that below the root without a link? Weaker than holding
 * the folder: one who swaps it right after this and back before the next look is not seen.
 */
async function confirm(handle: FileHandle, path: string, root: Root): Promise<void> {
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
const noFollow = constants.O_NOFOLLOW ?? 0;
const noWait = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const asFolder = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | noFollow;
