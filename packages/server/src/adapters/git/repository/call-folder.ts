import { mkdtemp, readdir, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where one call's git folder lies. Not in the repository, where others may write. */
export async function createCallFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), folderPrefix)));
}

/** What processes that were killed left behind: no call lasts a day. */
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
