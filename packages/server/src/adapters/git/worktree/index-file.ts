import { copyFile, link, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { lockedFault } from "../refs/ref-lock.ts";
import { copyIndex, type Repository } from "../repository/repository.ts";

/**
 * Changes the repository's index in one step: a copy is changed, and takes its place unless somebody changed the
 * original meanwhile. Git's own lock is taken with a link to a file of ours, so that a lock we left behind when we died
 * is known as ours, and no other is ever removed.
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
    // Whatever fails from here on leaves both names: by ours the lock is known again.
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

/** A lock that is one file with one of ours was left by a call that died; calls on one repository take turns. */
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
