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
  /** The paths of new files that the undo leaves in place if they have changed since the edit. */
  readonly keepChanged?: readonly string[];
  /** The file whose last edit is undone. By default, the last edit of any file is undone. */
  readonly path?: string;
  readonly disk?: Disk;
}

/**
 * Restores every file of the last `applyEdits` byte for byte, or changes no file. The undo can be repeated after an
 * interruption. Returns the restored files and those that it left in place, or undefined if there is nothing to undo.
 */
export async function undoEdits(
  journal: string,
  { pieces = false, keepChanged = [], path, disk = realDisk }: UndoEditsOptions = {},
): Promise<UndoResult | undefined> {
  await removeIncompleteEntries(journal, disk);
  const entry = await findLastEntry(journal, path);
  if (!entry) return undefined;
  const isKept = ({ path, before }: FileRecord) => before.kind === "absent" && keepChanged.includes(path);
  const restores = await planRestores(entry, pieces, isKept);
  for (const { file, way } of restores.toReversed()) await restoreFile(file, way, disk);
  await removeEntry(entry, disk);
  const listPaths = (isWanted: (way: Restore) => boolean) =>
    restores.filter(({ way }) => isWanted(way)).map(({ file }) => file.path);
  return {
    restored: listPaths(({ kind }) => kind !== "kept"),
    kept: listPaths(({ kind }) => kind === "kept"),
  };
}

interface UndoResult {
  readonly restored: readonly string[];
  readonly kept: readonly string[];
}

type Restore =
  | { readonly kind: "there" }
  | { readonly kind: "kept" }
  | { readonly kind: "to"; readonly state: FileState };

/** Plans how to restore each file. Throws if one of them cannot be restored. */
async function planRestores({ files }: JournalEntry, pieces: boolean, isKept: (file: FileRecord) => boolean) {
  const ways = await Promise.all(
    files.map(async (file) => ({ file, way: await planRestore(file, pieces, isKept(file)) })),
  );
  const lost = ways.filter(({ way }) => way === undefined).map(({ file }) => file);
  if (lost.length > 0) throw changedFilesError(lost);
  return ways as { file: FileRecord; way: Restore }[];
}

async function planRestore(file: FileRecord, pieces: boolean, isKept: boolean): Promise<Restore | undefined> {
  const now = await compareWithRecord(file);
  if (now === "before") return { kind: "there" };
  if (now === "after") return { kind: "to", state: await readOriginal(file) };
  if (isKept) return { kind: "kept" };
  const state: FileContent | undefined = pieces ? await revertPieces(file) : undefined;
  return state && { kind: "to", state };
}

async function restoreFile({ path, folders }: FileRecord, way: Restore, disk: Disk): Promise<void> {
  if (way.kind === "kept") return;
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
