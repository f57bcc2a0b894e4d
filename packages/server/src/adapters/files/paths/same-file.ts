import { lstat } from "node:fs/promises";

/** Two names of one file. A name that leads nowhere is no file's. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  try {
    const [a, b] = await Promise.all([lstat(one, { bigint: true }), lstat(other, { bigint: true })]);
    return a.dev === b.dev && a.ino === b.ino;
  } catch {
    return false;
  }
}
