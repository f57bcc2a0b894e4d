import { CliError } from "../cli-error.ts";
import { besideOf, replace } from "./apply.ts";
import { type Disk, realDisk } from "./disk.ts";
import { type Entry, type Kept, lastEntry, originalOf, removeEntry, standing, sweep } from "./journal.ts";

/**
 * Puts every file of the last `applyEdits` back as it was, byte for byte, or touches none. It can be run again after
 * having been cut short. Undefined where there is nothing to undo.
 */
export async function undoEdits(
  journal: string,
  disk: Disk = realDisk,
): Promise<readonly string[] | undefined> {
  await sweep(journal, disk);
  const entry = await lastEntry(journal);
  if (!entry) return undefined;
  await refuseChanged(entry);
  for (const file of entry.files.toReversed()) await putBack(file, disk);
  await removeEntry(entry, disk);
  return entry.files.map(({ path }) => path);
}

async function putBack(file: Kept, disk: Disk): Promise<void> {
  const { path, folders } = file;
  if ((await standing(file)) === "after") {
    const original = await originalOf(file);
    if (original.kind === "absent") await disk.remove(path);
    else await replace(path, original, disk);
  }
  // The folder may not have come to be, or be gone already.
  await disk.remove(besideOf(path)).catch(ignoreAbsent);
  for (const folder of folders.toReversed()) await disk.removeFolder(folder);
}

async function refuseChanged({ files }: Entry): Promise<void> {
  const standings = await Promise.all(files.map(async (file) => ({ file, as: await standing(file) })));
  const changed = standings.filter(({ as }) => as === "changed").map(({ file }) => file);
  if (changed.length === 0) return;
  const lines = changed.map(({ path, before }) =>
    before.kind === "absent"
      ? `  ${path} did not exist before: delete it yourself if you no longer need it`
      : `  ${path} as it was is kept in ${before.original}`,
  );
  throw new CliError(
    "file-changed",
    `Nothing was put back, because this was changed since:\n${lines.join("\n")}\nPut that back by hand, and undo again for the rest.`,
  );
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
