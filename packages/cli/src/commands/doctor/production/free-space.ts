import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import type { FreeSpace } from "./disk-checks.ts";

/** Measures the free space of each folder that exists, once for each file system. */
export async function readFreeSpace(folders: readonly string[]): Promise<FreeSpace[]> {
  const found = new Map<number, FreeSpace>();
  for (const folder of folders) {
    const device = statSync(folder, { throwIfNoEntry: false })?.dev;
    if (device === undefined || found.has(device)) continue;
    const { bavail, bsize } = await statfs(folder);
    found.set(device, { folder, freeBytes: bavail * bsize });
  }
  return [...found.values()];
}
