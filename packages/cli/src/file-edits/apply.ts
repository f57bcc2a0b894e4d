import { basename, dirname, join } from "node:path";
import { CliError } from "../cli-error.ts";
import { type Disk, type FileContent, type FileState, isThere, realDisk, stateOf } from "./disk.ts";
import type { FileEdit } from "./file-edit.ts";
import { type Entry, lastEntry, sweep, writeDone, writeIntent } from "./journal.ts";

/**
 * Makes the edits, all of them or, after a crash, so many that `undoEdits` can put everything back. `journal` is a folder
 * of ours, in which the originals are kept; they are as private as a file can be, because settings hold secrets.
 */
export async function applyEdits(
  journal: string,
  edits: readonly FileEdit[],
  disk: Disk = realDisk,
): Promise<Entry> {
  await refuseUnfinished(journal);
  for (const edit of edits) await refuseChanged(edit);
  await sweep(journal, disk);
  const entry = await writeIntent(journal, edits, disk);
  for (const [index, { path, after }] of edits.entries()) {
    for (const folder of entry.files[index]!.folders)
      if (!(await isThere(folder))) await disk.makeFolder(folder);
    await replace(path, after, disk);
  }
  await writeDone(entry, disk);
  return entry;
}

/** Beside the file first, then in its place: whoever reads it meanwhile reads the old one or the new one. */
export async function replace(path: string, content: FileContent, disk: Disk): Promise<void> {
  const beside = besideOf(path);
  await disk.remove(beside);
  await disk.write(beside, content);
  await disk.rename(beside, path);
}

export function besideOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.paraph-new`);
}

async function refuseUnfinished(journal: string): Promise<void> {
  const last = await lastEntry(journal);
  if (last && !last.isDone)
    throw new CliError(
      "edits-interrupted",
      "The last time was cut short, and some files may be changed while others are not: undo that first.",
    );
}

/** What people looked at is what is changed, or nothing is. */
async function refuseChanged({ path, before }: FileEdit): Promise<void> {
  if (isSame(await stateOf(path), before)) return;
  throw new CliError("file-changed", `\`${path}\` was changed just now: nothing is written. Run it again.`);
}

function isSame(a: FileState, b: FileState): boolean {
  if (a.kind === "absent" || b.kind === "absent") return a.kind === b.kind;
  return a.bytes.equals(b.bytes) && a.mode === b.mode;
}
