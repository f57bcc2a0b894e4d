import { copyFile, link, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { lockedFault } from "../refs/ref-lock.ts";
import { copyIndex, type Repository } from "../repository/repository.ts";

/**
 * Changes the repository's index in one step. It changes a copy, which replaces the original unless another process has
 * changed the original in the meantime. It takes git's lock as a hard link to a file of Paraph. After a crash, Paraph
 * thus recognises its own lock and never removes the lock of another process.
 */
export async function changeIndex(
  repository: Repository,
  call: string,
  change: () => Promise<unknown>,
): Promise<void> {
  const { gitFolder, folder } = repository;
  const [index, lock] = [join(gitFolder, "index"), join(gitFolder, "index.lock")];
  await clearOwnIndexLock(repository);
  for (let tries = 0; tries < maxTries; tries++) {
    const before = await readStamp(index);
    await copyIndex(gitFolder, folder);
    await change();
    const own = join(gitFolder, `${ownIndexPrefix}${call}`);
    await copyFile(join(folder, "index"), own);
    await syncFile(own);
    // A crash from here on can leave the file with two names: git's lock and Paraph's own name. Paraph's name then
    // identifies the lock as Paraph's.
    if (!(await tryLink(own, lock))) break;
    const unchanged = (await readStamp(index)) === before;
    await (unchanged ? rename(lock, index) : rm(lock));
    await rm(own);
    if (unchanged) return;
  }
  await rm(join(gitFolder, `${ownIndexPrefix}${call}`), { force: true });
  throw lockedFault("index");
}

export async function requireIndexFree(repository: Repository): Promise<void> {
  await clearOwnIndexLock(repository);
  if ((await readStamp(join(repository.gitFolder, "index.lock"))) !== "absent") throw lockedFault("index");
}

/**
 * Removes a lock that is a link to one of Paraph's own files. Calls on one repository run in turn, so only a crashed
 * call can have left such a lock.
 */
async function clearOwnIndexLock({ gitFolder }: Repository): Promise<void> {
  const lock = join(gitFolder, "index.lock");
  for (const name of await readdir(gitFolder)) {
    if (!name.startsWith(ownIndexPrefix)) continue;
    const own = join(gitFolder, name);
    if ((await readInode(own)) === (await readInode(lock))) await rm(lock, { force: true });
    await rm(own, { force: true });
  }
}

async function tryLink(own: string, lock: string): Promise<boolean> {
  try {
    await link(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path);
  await handle.sync();
  await handle.close();
}

async function readInode(path: string): Promise<bigint | undefined> {
  return (await stat(path, { bigint: true }).catch(() => undefined))?.ino;
}

async function readStamp(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found ? `${found.ino}-${found.size}-${found.mtimeNs}` : "absent";
}

const ownIndexPrefix = "paraph-index-";
const maxTries = 5;
