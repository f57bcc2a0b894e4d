import { basename, dirname, join } from "node:path";
import { CliError } from "../cli-error.ts";
import { type Disk, type FileContent, type FileState, pathExists, readFileState, realDisk } from "./disk.ts";
import type { FileEdit } from "./file-edit.ts";
import {
  findLastEntry,
  type JournalEntry,
  markDone,
  removeIncompleteEntries,
  writeIntent,
} from "./journal.ts";

/**
 * Makes the edits, all of them or, after a crash, so many that `undoEdits` can put everything back. `journal` is a folder
 * of ours, in which the originals are kept; they are as private as a file can be, because settings hold secrets.
 */
export async function applyEdits(
  journal: string,
  edits: readonly FileEdit[],
  disk: Disk = realDisk,
): Promise<JournalEntry> {
  await rejectUnfinished(journal);
  for (const edit of edits) await rejectChanged(edit);
  await removeIncompleteEntries(journal, disk);
  const entry = await writeIntent(journal, edits, disk);
  for (const [index, { path, after }] of edits.entries()) {
    for (const folder of entry.files[index]!.folders)
      if (!(await pathExists(folder))) await disk.makeFolder(folder);
    await replaceFile(path, after, disk);
  }
  await markDone(entry, disk);
  return entry;
}

/** Beside the file first, then in its place: whoever reads it meanwhile reads the old one or the new one. */
export async function replaceFile(path: string, content: FileContent, disk: Disk): Promise<void> {
  const beside = toTemporaryPath(path);
  await disk.remove(beside);
  await disk.write(beside, content);
  await disk.rename(beside, path);
}

export function toTemporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.paraph-new`);
}

async function rejectUnfinished(journal: string): Promise<void> {
  const last = await findLastEntry(journal);
  if (last && !last.isDone)
    throw new CliError(
      "edits-interrupted",
      "The last time was cut short, and some files may be changed while others are not: undo that first.",
    );
}

/** What people looked at is what is changed, or nothing is. */
async function rejectChanged({ path, before }: FileEdit): Promise<void> {
  if (isSameState(await readFileState(path), before)) return;
  throw new CliError("file-changed", `\`${path}\` was changed just now: nothing is written. Run it again.`);
}

function isSameState(a: FileState, b: FileState): boolean {
  if (a.kind === "absent" || b.kind === "absent") return a.kind === b.kind;
  return a.bytes.equals(b.bytes) && a.mode === b.mode;
}
