import { link, lstat, readdir, rename, rmdir, unlink } from "node:fs/promises";
import type { ExecutionContext } from "@paraph/core";
import { pathChangedFault } from "../entries/write-basis.ts";
import { hasErrno, toFileFault } from "../file-fault.ts";
import { type OpenFolder, resolveInFolder, syncFolder, withSubfolder } from "../paths/open-folder.ts";
import type { FilePath } from "../paths/path.ts";
import { isSameFile } from "../paths/same-file.ts";
import { createDraftName, isDraftOfCall, toRemovalName } from "./draft-name.ts";

/**
 * Moves an entry from its path to a draft name in one step, as the first step of a deletion. Other programs then never
 * see half a folder, and Paraph can compare the staged entry with the approved one before it removes it.
 *
 *     path ─▶ draft (staged, can be restored) ─▶ doomed draft (approved, removed to the end) ─▶ nothing
 */
export async function stageForDelete(
  folder: OpenFolder,
  { name, path }: FilePath,
  context: ExecutionContext,
): Promise<string> {
  const aside = createDraftName(context.call, context.attempt);
  try {
    await rename(await resolveInFolder(folder, name), await resolveInFolder(folder, aside));
    return aside;
  } catch (error) {
    if (hasErrno(error, "ENOENT")) throw pathChangedFault(path);
    throw toFileFault(error, path, "ambiguous");
  }
}

/**
 * Restores a staged entry without overwriting anything. If another program has taken the name, the function changes
 * nothing and returns false.
 */
export async function restoreStaged(folder: OpenFolder, aside: string, { name }: FilePath): Promise<boolean> {
  const [from, to] = [await resolveInFolder(folder, aside), await resolveInFolder(folder, name)];
  try {
    if ((await lstat(from)).isDirectory()) {
      if (await pathExists(to)) return false;
      await rename(from, to);
    } else {
      await link(from, to).catch(async (error) => {
        // If both names refer to one file, an earlier attempt restored the entry and crashed before it removed the
        // draft name. The error is then ignored.
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
  // The new name must be on disk before the removal starts. Otherwise, after a power loss, a partly removed folder
  // could have its old name again.
  await syncFolder(folder);
  return doomed;
}

/**
 * Removes an entry and everything below it, one folder at a time through open handles. It removes a link itself and
 * never follows it.
 */
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

/** Lists the entries that attempts of this call staged and did not remove. */
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
