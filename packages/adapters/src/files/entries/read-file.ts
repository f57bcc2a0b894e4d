import { type BigIntStats, constants, type Stats } from "node:fs";
import { type FileHandle, lstat } from "node:fs/promises";
import { CapabilityError } from "@paraph/core";
import { hasErrno, linkRefusedFault } from "../file-fault.ts";
import { type OpenFolder, openInFolder, resolveInFolder } from "../paths/open-folder.ts";
import { hashBytes, tooLargeFault } from "./content.ts";

/** The entry at a path: none, or a regular file with its content. Paraph rejects everything else. */
export type FileAtPath = { readonly kind: "absent" } | ExistingFile;

export interface ExistingFile {
  readonly kind: "file";
  readonly content: Buffer;
  readonly sha256: string;
  readonly stat: Stats;
}

export const absentFile: FileAtPath = { kind: "absent" };

export async function readFileAtPath(
  folder: OpenFolder,
  name: string,
  path: string,
  maxBytes: number,
): Promise<FileAtPath> {
  try {
    // The check comes before the open, because opening alone can wake a fifo's writer or rewind a tape.
    requireRegularFile(await lstat(await resolveInFolder(folder, name)), path);
    await using handle = await openInFolder(folder, name, constants.O_RDONLY);
    const stat = await handle.stat();
    requireRegularFile(stat, path);
    const content = await readLimited(handle, maxBytes, path);
    return { kind: "file", content, sha256: hashBytes(content), stat };
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return absentFile;
    throw error;
  }
}

export function requireRegularFile(stat: Stats | BigIntStats, path: string): void {
  if (stat.isFile()) return;
  if (stat.isSymbolicLink()) throw linkRefusedFault(path);
  const what = stat.isDirectory() ? "a folder" : "a device, a pipe or a socket";
  throw new CapabilityError("permanent", "not-a-file", `\`${path}\` is ${what}, not a file.`);
}

/**
 * Reads a file and counts the bytes itself, because the reported size is unreliable. The file may still grow, and
 * virtual files of the kernel report a size of 0.
 */
async function readLimited(handle: FileHandle, maxBytes: number, path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let total = 0; ; ) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(65_536) });
    if (bytesRead === 0) return Buffer.concat(chunks);
    total += bytesRead;
    if (total > maxBytes) throw tooLargeFault(`\`${path}\``, maxBytes);
    chunks.push(buffer.subarray(0, bytesRead));
  }
}
