import { link, lstat, readdir, rename, rmdir, unlink } from "node:fs/promises";
import type { ExecutionContext } from "@paraph/core";
import { pathChangedFault } from "../entries/write-basis.ts";
import { hasErrno, toFileFault } from "../file-fault.ts";
import { type OpenFolder, resolveInFolder, syncFolder, withSubfolder } from "../paths/open-folder.ts";
import type { FilePath } from "../paths/path.ts";
import { isSameFile } from "../paths/same-file.ts";
import { createDraftName, isDraftOfCall, toRemovalName } from "./draft-name.ts";

/**
 * A deletion takes a thing out of its place first, in one step, and removes it where nobody else looks: no other
 * program finds half a folder, and what was taken can be compared with what was approved before it is gone.
 *
 *     place ─▶ draft (set aside, can be put back) ─▶ doomed draft (approved, goes on to the end) ─▶ nothing
 */
export async function stageForDelete(
  folder: OpenFolder,
  { name, path }: FilePath,
  world: ExecutionContext,
): Promise<string> {
  const aside = createDraftName(world.call, world.attempt);
  try {
    await rename(await resolveInFolder(folder, name), await resolveInFolder(folder, aside));
    return aside;
  } catch (error) {
    if (hasErrno(error, "ENOENT")) throw pathChangedFault(path);
    throw toFileFault(error, path, "ambiguous");
  }
}

/** Never onto something: what took the name meanwhile keeps it, and false is returned. */
export async function restoreStaged(folder: OpenFolder, aside: string, { name }: FilePath): Promise<boolean> {
  const [from, to] = [await resolveInFolder(folder, aside), await resolveInFolder(folder, name)];
  try {
    if ((await lstat(from)).isDirectory()) {
      if (await pathExists(to)) return false;
      await rename(from, to);
    } else {
      await link(from, to).catch(async (error) => {
        // Put back already, by an attempt that died before it could take the other name away.
        if (!hasErrno(error, "EEXIST") || !(await isSameFile(from, to))) throw error;
      });
      await unlink(from);
    }
  } catch (error) {
    if (hasErrno(error, "EEXIST", "ENOTEMPTY", "ENOTDIR", "ENOENT")) return false;
    throw error;
  }
  await syncFolder(folder);
  return true;
}

export async function markForRemoval(folder: OpenFolder, aside: string): Promise<string> {
  const doomed = toRemovalName(aside);
  await rename(await resolveInFolder(folder, aside), await resolveInFolder(folder, doomed));
  // On disk before anything in it goes: after a loss of power half a folder is never back under its name.
  await syncFolder(folder);
  return doomed;
}

/** One folder at a time, each held open: a link in it is removed itself, and none leads out. */
export async function removeTree(folder: OpenFolder, name: string): Promise<void> {
  try {
    const stat = await lstat(await resolveInFolder(folder, name));
    if (!stat.isDirectory()) return await unlink(await resolveInFolder(folder, name));
    await withSubfolder(folder, name, async (inner) => {
      for (const each of await readdir(await resolveInFolder(inner, "."))) await removeTree(inner, each);
    });
    await rmdir(await resolveInFolder(folder, name));
  } catch (error) {
    if (!hasErrno(error, "ENOENT")) throw error;
  }
}

/** What attempts of this call have set aside and not removed. */
export async function listStaged(folder: OpenFolder, call: string): Promise<string[]> {
  const names = await readdir(await resolveInFolder(folder, "."));
  return names.filter((name) => isDraftOfCall(name, call));
}

async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
