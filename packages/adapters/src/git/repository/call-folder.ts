import { mkdtemp, readdir, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Creates the git folder of one call. The folder is outside the repository, because others may write to the repository.
 */
export async function createCallFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), folderPrefix)));
}

/** Removes folders that killed processes left. No call lasts a day, so a folder that is older than a day is unused. */
export async function removeStaleFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const path = join(tmpdir(), name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > dayMs) await rm(path, { recursive: true, force: true });
  }
}

const folderPrefix = "paraph-git-call-";
const dayMs = 24 * 60 * 60 * 1000;
