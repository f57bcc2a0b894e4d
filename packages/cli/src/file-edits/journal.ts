import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Disk, type FileContent, type FileState, isThere, stateOf } from "./disk.ts";
import type { FileEdit } from "./file-edit.ts";

/** One file of an entry: what it was, where that is kept, and how to know what was made of it. */
export interface Kept {
  readonly path: string;
  readonly before:
    | { readonly kind: "absent" }
    | (Omit<FileContent, "bytes"> & { readonly original: string; readonly digest: string });
  readonly after: { readonly digest: string; readonly mode: number };
  /** What stood in each place, and what stands there since. */
  readonly pieces: readonly { readonly before: string; readonly after: string }[];
  /** Folders that were made for it, the outermost first. */
  readonly folders: readonly string[];
}

/** What one `applyEdits` was about to do, written before it did anything. */
export interface Entry {
  readonly folder: string;
  readonly files: readonly Kept[];
  /** False for one that was cut short. */
  readonly isDone: boolean;
}

const intent = "intent.json";
const done = "done";

/** The originals first, then the intent: where there is an intent, everything can be put back. */
export async function writeIntent(journal: string, edits: readonly FileEdit[], disk: Disk): Promise<Entry> {
  for (const folder of await missingFolders(journal)) await disk.makeFolder(folder);
  // Originals may hold secrets, and the folder may lie in somebody's repository.
  const ignoring = join(journal, ".gitignore");
  if (!(await isThere(ignoring))) await disk.write(ignoring, privately(Buffer.from("*\n")));
  const folder = join(journal, await nextName(journal));
  await disk.makeFolder(folder);
  const files: Kept[] = [];
  for (const [index, { path, before, after, pieces, text }] of edits.entries()) {
    const original = join(folder, `${index}.original`);
    if (before.kind === "file") await disk.write(original, privately(before.bytes));
    const folders = await missingFolders(dirname(path));
    files.push({
      path,
      folders,
      after: { digest: digestOf(after.bytes), mode: after.mode },
      before: before.kind === "absent" ? before : keptOf(before, original),
      pieces: pieces.map((piece) => ({ before: text.slice(piece.start, piece.end), after: piece.text })),
    });
  }
  const written = `${JSON.stringify({ version: 1, files }, null, 2)}\n`;
  await disk.write(join(folder, `${intent}.new`), privately(Buffer.from(written)));
  await disk.rename(join(folder, `${intent}.new`), join(folder, intent));
  return { folder, files, isDone: false };
}

export async function writeDone({ folder }: Entry, disk: Disk): Promise<void> {
  await disk.write(join(folder, done), privately(Buffer.alloc(0)));
}

/** The entry that was written last, if there is one. */
export async function lastEntry(journal: string): Promise<Entry | undefined> {
  for (const name of (await namesIn(journal)).reverse()) {
    const folder = join(journal, name);
    const text = await readFile(join(folder, intent), "utf8").catch(() => undefined);
    if (text === undefined) continue;
    const { files } = JSON.parse(text) as { files: Kept[] };
    return { folder, files, isDone: await isThere(join(folder, done)) };
  }
  return undefined;
}

/** The intent first: without it the rest is nobody's, and the next sweep takes it. */
export async function removeEntry({ folder }: Entry, disk: Disk): Promise<void> {
  await disk.remove(join(folder, intent));
  await removeWhole(folder, disk);
}

/** What was begun and never intended, with the originals that are in it. */
export async function sweep(journal: string, disk: Disk): Promise<void> {
  for (const name of await namesIn(journal)) {
    const folder = join(journal, name);
    if (!(await isThere(join(folder, intent)))) await removeWhole(folder, disk);
  }
}

/** How a file stands to its entry; `changed` by somebody else since. */
export async function standing({ path, before, after }: Kept): Promise<"before" | "after" | "changed"> {
  const now = await stateOf(path);
  if (now.kind === "absent") return before.kind === "absent" ? "before" : "changed";
  const isAs = ({ digest, mode }: { digest: string; mode: number }) =>
    digestOf(now.bytes) === digest && now.mode === mode;
  if (isAs(after)) return "after";
  return before.kind === "file" && isAs(before) ? "before" : "changed";
}

export async function originalOf({ before }: Kept): Promise<FileState> {
  if (before.kind === "absent") return before;
  const { original, digest: _, ...rest } = before;
  return { ...rest, bytes: await readFile(original) };
}

function keptOf({ bytes, ...rest }: FileContent, original: string): Kept["before"] {
  return { ...rest, original, digest: digestOf(bytes) };
}

async function removeWhole(folder: string, disk: Disk): Promise<void> {
  for (const name of await readdir(folder)) await disk.remove(join(folder, name));
  await disk.removeFolder(folder);
}

async function missingFolders(folder: string): Promise<string[]> {
  if (await isThere(folder)) return [];
  return [...(await missingFolders(dirname(folder))), folder];
}

async function nextName(journal: string): Promise<string> {
  const last = (await namesIn(journal)).at(-1) ?? "0";
  return String(Number(last) + 1).padStart(4, "0");
}

async function namesIn(journal: string): Promise<string[]> {
  const names = await readdir(journal).catch(() => []);
  return names.filter((name) => /^\d{4,}$/.test(name)).sort((a, b) => Number(a) - Number(b));
}

function privately(bytes: Buffer): FileContent {
  return { kind: "file", bytes, mode: 0o600 };
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
