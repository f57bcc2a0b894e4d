import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Disk, type FileContent, type FileState, pathExists, readFileState } from "./disk.ts";
import type { FileEdit } from "./file-edit.ts";

/**
 * One file of a journal entry: its state before the edit, the location of the saved original, and the digest of the
 * edited content.
 */
export interface FileRecord {
  readonly path: string;
  readonly before:
    | { readonly kind: "absent" }
    | (Omit<FileContent, "bytes"> & { readonly original: string; readonly digest: string });
  readonly after: { readonly digest: string; readonly mode: number };
  /** The text of each range before and after the edit. */
  readonly pieces: readonly { readonly before: string; readonly after: string }[];
  /** The folders that the edit created for the file, outermost first. */
  readonly folders: readonly string[];
}

/** The planned changes of one run of `applyEdits`, recorded before the first change. */
export interface JournalEntry {
  readonly folder: string;
  readonly files: readonly FileRecord[];
  /** Whether all changes were made. It is false after an interruption. */
  readonly isDone: boolean;
}

const intentFile = "intent.json";
const doneFile = "done";

/** Writes the originals first, then the intent. Therefore every file can be restored if an intent exists. */
export async function writeIntent(
  journal: string,
  edits: readonly FileEdit[],
  disk: Disk,
): Promise<JournalEntry> {
  for (const folder of await listMissingFolders(journal)) await disk.makeFolder(folder);
  // Originals may contain secrets, and the folder may be inside a repository, so git must ignore the folder.
  const ignoring = join(journal, ".gitignore");
  if (!(await pathExists(ignoring))) await disk.write(ignoring, toPrivateFile(Buffer.from("*\n")));
  const folder = join(journal, await findNextName(journal));
  await disk.makeFolder(folder);
  const files: FileRecord[] = [];
  for (const [index, { path, before, after, pieces, text }] of edits.entries()) {
    const original = join(folder, `${index}.original`);
    if (before.kind === "file") await disk.write(original, toPrivateFile(before.bytes));
    const folders = await listMissingFolders(dirname(path));
    files.push({
      path,
      folders,
      after: { digest: digestBytes(after.bytes), mode: after.mode },
      before: before.kind === "absent" ? before : toBeforeRecord(before, original),
      pieces: pieces.map((piece) => ({ before: text.slice(piece.start, piece.end), after: piece.text })),
    });
  }
  const written = `${JSON.stringify({ version: 1, files }, null, 2)}\n`;
  await disk.write(join(folder, `${intentFile}.new`), toPrivateFile(Buffer.from(written)));
  await disk.rename(join(folder, `${intentFile}.new`), join(folder, intentFile));
  return { folder, files, isDone: false };
}

export async function markDone({ folder }: JournalEntry, disk: Disk): Promise<void> {
  await disk.write(join(folder, doneFile), toPrivateFile(Buffer.alloc(0)));
}

/** Returns the last entry, or with `path` the last entry that edited this file. */
export async function findLastEntry(journal: string, path?: string): Promise<JournalEntry | undefined> {
  for (const name of (await listEntryNames(journal)).reverse()) {
    const folder = join(journal, name);
    const text = await readFile(join(folder, intentFile), "utf8").catch(() => undefined);
    if (text === undefined) continue;
    const { files } = JSON.parse(text) as { files: FileRecord[] };
    if (path !== undefined && !files.some((file) => file.path === path)) continue;
    return { folder, files, isDone: await pathExists(join(folder, doneFile)) };
  }
  return undefined;
}

/**
 * Removes an entry, starting with the intent. If the removal is interrupted, the entry has no intent and counts as
 * incomplete, and the next cleanup removes the rest.
 */
export async function removeEntry({ folder }: JournalEntry, disk: Disk): Promise<void> {
  await disk.remove(join(folder, intentFile));
  await removeEntryFolder(folder, disk);
}

/** Removes entries that have no intent, including their originals. */
export async function removeIncompleteEntries(journal: string, disk: Disk): Promise<void> {
  for (const name of await listEntryNames(journal)) {
    const folder = join(journal, name);
    if (!(await pathExists(join(folder, intentFile)))) await removeEntryFolder(folder, disk);
  }
}

/** Compares a file with its record. `changed` means that another program has changed the file since the edit. */
export async function compareWithRecord({
  path,
  before,
  after,
}: FileRecord): Promise<"before" | "after" | "changed"> {
  const now = await readFileState(path);
  if (now.kind === "absent") return before.kind === "absent" ? "before" : "changed";
  const isAs = ({ digest, mode }: { digest: string; mode: number }) =>
    digestBytes(now.bytes) === digest && now.mode === mode;
  if (isAs(after)) return "after";
  return before.kind === "file" && isAs(before) ? "before" : "changed";
}

export async function readOriginal({ before }: FileRecord): Promise<FileState> {
  if (before.kind === "absent") return before;
  const { original, digest: _, ...rest } = before;
  return { ...rest, bytes: await readFile(original) };
}

function toBeforeRecord({ bytes, ...rest }: FileContent, original: string): FileRecord["before"] {
  return { ...rest, original, digest: digestBytes(bytes) };
}

async function removeEntryFolder(folder: string, disk: Disk): Promise<void> {
  for (const name of await readdir(folder)) await disk.remove(join(folder, name));
  await disk.removeFolder(folder);
}

async function listMissingFolders(folder: string): Promise<string[]> {
  if (await pathExists(folder)) return [];
  return [...(await listMissingFolders(dirname(folder))), folder];
}

async function findNextName(journal: string): Promise<string> {
  const last = (await listEntryNames(journal)).at(-1) ?? "0";
  return String(Number(last) + 1).padStart(4, "0");
}

async function listEntryNames(journal: string): Promise<string[]> {
  const names = await readdir(journal).catch(() => []);
  return names.filter((name) => /^\d{4,}$/.test(name)).sort((a, b) => Number(a) - Number(b));
}

function toPrivateFile(bytes: Buffer): FileContent {
  return { kind: "file", bytes, mode: 0o600 };
}

function digestBytes(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
