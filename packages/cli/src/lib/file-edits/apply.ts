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
 * Applies all edits. After a crash, `undoEdits` can restore every file. `journal` is a folder of Paraph that keeps the
 * originals. Only the owner can read the originals, because settings contain secrets.
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

/**
 * Writes a temporary file and renames it, so that a concurrent reader sees either the complete old content or the
 * complete new content.
 */
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
      "The previous run was interrupted, so only some of the files may have changed. Undo it with `paraph mcp import --undo` or `paraph hook uninstall CLIENT`, then try again.",
    );
}

/** Rejects the edit if the file has changed since the person reviewed the edit. */
async function rejectChanged({ path, before }: FileEdit): Promise<void> {
  if (isSameState(await readFileState(path), before)) return;
  throw new CliError(
    "file-changed",
    `\`${path}\` changed in the meantime, so nothing was written. Run the command again.`,
  );
}

function isSameState(a: FileState, b: FileState): boolean {
  if (a.kind === "absent" || b.kind === "absent") return a.kind === b.kind;
  return a.bytes.equals(b.bytes) && a.mode === b.mode;
}
