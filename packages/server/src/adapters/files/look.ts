import { type BigIntStats, constants, type Stats } from "node:fs";
import { type FileHandle, lstat } from "node:fs/promises";
import { CapabilityError } from "@paraph/core";
import { sha256Of, tooLarge } from "./content.ts";
import { hasErrno, linkRefused } from "./file-fault.ts";
import { type Folder, openWithin, within } from "./rooted.ts";

/** What is at a place: nothing, or a regular file with its content. Anything else is refused. */
export type Found = { readonly kind: "absent" } | FoundFile;

export interface FoundFile {
  readonly kind: "file";
  readonly content: Buffer;
  readonly sha256: string;
  readonly stat: Stats;
}

export const absent: Found = { kind: "absent" };

export async function look(folder: Folder, name: string, path: string, maxBytes: number): Promise<Found> {
  try {
    // Looked at before it is opened: opening alone can wake a fifo's writer or wind a tape.
    demandFile(await lstat(await within(folder, name)), path);
    await using handle = await openWithin(folder, name, constants.O_RDONLY);
    const stat = await handle.stat();
    demandFile(stat, path);
    const content = await readAtMost(handle, maxBytes, path);
    return { kind: "file", content, sha256: sha256Of(content), stat };
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return absent;
    throw error;
  }
}

export function demandFile(stat: Stats | BigIntStats, path: string): void {
  if (stat.isFile()) return;
  if (stat.isSymbolicLink()) throw linkRefused(path);
  const what = stat.isDirectory() ? "a folder" : "a device, a pipe or a socket";
  throw new CapabilityError("permanent", "not-a-file", `\`${path}\` is ${what}, not a file.`);
}

/** Counts what it reads: a size told beforehand may be outgrown, and is 0 for files the kernel makes up. */
async function readAtMost(handle: FileHandle, maxBytes: number, path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let total = 0; ; ) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(65_536) });
    if (bytesRead === 0) return Buffer.concat(chunks);
    total += bytesRead;
    if (total > maxBytes) throw tooLarge(`\`${path}\``, maxBytes);
    chunks.push(buffer.subarray(0, bytesRead));
  }
}
