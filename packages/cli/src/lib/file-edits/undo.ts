import { CliError } from "../cli-error.ts";
import { replaceFile, toTemporaryPath } from "./apply.ts";
import { type Disk, type FileContent, type FileState, realDisk } from "./disk.ts";
import {
  compareWithRecord,
  type FileRecord,
  findLastEntry,
  type JournalEntry,
  readOriginal,
  removeEntry,
  removeIncompleteEntries,
} from "./journal.ts";
import { revertPieces } from "./revert-pieces.ts";

export interface UndoEditsOptions {
  /**
   * Whether to revert only Paraph's pieces in a file that has changed since the edit. By default, a changed file
   * prevents the undo.
   */
  readonly pieces?: boolean;
  readonly disk?: Disk;
}

/**
 * Restores every file of the last `applyEdits` byte for byte, or changes no file. The undo can be repeated after an
 * interruption. Returns undefined if there is nothing to undo.
 */
export async function undoEdits(
  journal: string,
  { pieces = false, disk = realDisk }: UndoEditsOptions = {},
): Promise<readonly string[] | undefined> {
  await removeIncompleteEntries(journal, disk);
  const entry = await findLastEntry(journal);
  if (!entry) return undefined;
  for (const { file, way } of (await planRestores(entry, pieces)).toReversed())
    await restoreFile(file, way, disk);
  await removeEntry(entry, disk);
  return entry.files.map(({ path }) => path);
}

type Restore = { readonly kind: "there" } | { readonly kind: "to"; readonly state: FileState };

/** Plans how to restore each file. Throws if one of them cannot be restored. */
async function planRestores({ files }: JournalEntry, pieces: boolean) {
  const ways = await Promise.all(files.map(async (file) => ({ file, way: await planRestore(file, pieces) })));
  const lost = ways.filter(({ way }) => way === undefined).map(({ file }) => file);
  if (lost.length > 0) throw changedFilesError(lost);
  return ways as { file: FileRecord; way: Restore }[];
}

async function planRestore(file: FileRecord, pieces: boolean): Promise<Restore | undefined> {
  const now = await compareWithRecord(file);
  if (now === "before") return { kind: "there" };
  if (now === "after") return { kind: "to", state: await readOriginal(file) };
  const state: FileContent | undefined = pieces ? await revertPieces(file) : undefined;
  return state && { kind: "to", state };
}

async function restoreFile({ path, folders }: FileRecord, way: Restore, disk: Disk): Promise<void> {
  if (way.kind === "to") {
    if (way.state.kind === "absent") await disk.remove(path);
    else await replaceFile(path, way.state, disk);
  }
  // The folder of the temporary file may not have been created or may already be removed, so a missing file is not an
  // error.
  await disk.remove(toTemporaryPath(path)).catch(ignoreAbsent);
  for (const folder of folders.toReversed()) await disk.removeFolder(folder);
}

function changedFilesError(files: readonly FileRecord[]): CliError {
  const lines = files.map(({ path, before }) =>
    before.kind === "absent"
      ? `  ${path} did not exist before: delete it if you no longer need it`
      : `  the original of ${path} is kept in ${before.original}`,
  );
  return new CliError(
    "file-changed",
    `Nothing was restored, because these files changed after Paraph edited them:\n${lines.join("\n")}\nRestore these files yourself, then run the undo again for the rest.`,
  );
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
