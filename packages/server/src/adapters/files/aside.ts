import { link, lstat, readdir, rename, rmdir, unlink } from "node:fs/promises";
import type { ExecutionContext } from "@paraph/core";
import { basisMoved } from "./basis.ts";
import { doomedName, draftName, isDraftOf } from "./draft-name.ts";
import { fileFault, hasErrno } from "./file-fault.ts";
import type { Place } from "./path.ts";
import { type Folder, inside, sync, within } from "./rooted.ts";
import { sameFile } from "./same-file.ts";

/**
 * A deletion takes a thing out of its place first, in one step, and removes it where nobody else looks: no other
 * program finds half a folder, and what was taken can be compared with what was approved before it is gone.
 *
 *     place ─▶ draft (set aside, can be put back) ─▶ doomed draft (approved, goes on to the end) ─▶ nothing
 */
export async function setAside(
  folder: Folder,
  { name, path }: Place,
  world: ExecutionContext,
): Promise<string> {
  const aside = draftName(world.call, world.attempt);
  try {
    await rename(await within(folder, name), await within(folder, aside));
    return aside;
  } catch (error) {
    if (hasErrno(error, "ENOENT")) throw basisMoved(path);
    throw fileFault(error, path, "ambiguous");
  }
}

/** Never onto something: what took the name meanwhile keeps it, and false is returned. */
export async function putBack(folder: Folder, aside: string, { name }: Place): Promise<boolean> {
  const [from, to] = [await within(folder, aside), await within(folder, name)];
  try {
    if ((await lstat(from)).isDirectory()) {
      if (await taken(to)) return false;
      await rename(from, to);
    } else {
      await link(from, to).catch(async (error) => {
        // Put back already, by an attempt that died before it could take the other name away.
        if (!hasErrno(error, "EEXIST") || !(await sameFile(from, to))) throw error;
      });
      await unlink(from);
    }
  } catch (error) {
    if (hasErrno(error, "EEXIST", "ENOTEMPTY", "ENOTDIR", "ENOENT")) return false;
    throw error;
  }
  await sync(folder);
  return true;
}

export async function doom(folder: Folder, aside: string): Promise<string> {
  const doomed = doomedName(aside);
  await rename(await within(folder, aside), await within(folder, doomed));
  // On disk before anything in it goes: after a loss of power half a folder is never back under its name.
  await sync(folder);
  return doomed;
}

/** One folder at a time, each held open: a link in it is removed itself, and none leads out. */
export async function remove(folder: Folder, name: string): Promise<void> {
  try {
    const stat = await lstat(await within(folder, name));
    if (!stat.isDirectory()) return await unlink(await within(folder, name));
    await inside(folder, name, async (inner) => {
      for (const each of await readdir(await within(inner, "."))) await remove(inner, each);
    });
    await rmdir(await within(folder, name));
  } catch (error) {
    if (!hasErrno(error, "ENOENT")) throw error;
  }
}

/** What attempts of this call have set aside and not removed. */
export async function asidesOf(folder: Folder, call: string): Promise<string[]> {
  const names = await readdir(await within(folder, "."));
  return names.filter((name) => isDraftOf(name, call));
}

async function taken(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
