import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import {
  copyFile,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashFile } from "../workspace/hash-cache.ts";

/** A store that keeps each file content once, under its hash. */
export class ObjectStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  path(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), sha256);
  }

  read(sha256: string): Promise<Buffer> {
    return readFile(this.path(sha256));
  }

  /**
   * Whether the store has the content with this hash. If the stored file is old, the method refreshes its time, so that
   * no other process removes the file before the caller uses it.
   */
  async has(sha256: string): Promise<boolean> {
    try {
      const { mtimeMs } = await stat(this.path(sha256));
      if (Date.now() - mtimeMs > minSweepAgeMs / 2) await utimes(this.path(sha256), new Date(), new Date());
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Stores a copy of a file and returns the hash of the copy, because the file itself may change in the meantime. If
   * the file system supports it, the store clones the file instead of copying the bytes.
   */
  async store(file: FileHandle): Promise<string> {
    const draft = join(this.#folder, `${randomUUID()}.draft`);
    try {
      const how = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;
      await withParentFolder(draft, () => copyFile(`/proc/self/fd/${file.fd}`, draft, how));
      const sha256 = await hashFileAt(draft);
      const path = this.path(sha256);
      await withParentFolder(path, () => rename(draft, path));
      return sha256;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Removes contents that no snapshot needs, and drafts of crashed processes. */
  async sweep(needed: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const each of names.filter((name) => name.isFile() && !needed.has(name.name))) {
      const path = join(each.parentPath, each.name);
      const found = await stat(path).catch(() => undefined);
      if (found && Date.now() - found.mtimeMs > minSweepAgeMs) await rm(path, { force: true });
    }
  }
}

/**
 * The minimum age of a file that the sweep removes. A younger file may belong to a running attempt. No attempt takes as
 * long as this age.
 */
const minSweepAgeMs = 60 * 60 * 1000;

/**
 * Runs the body. If the body fails, the function creates the parent folder and runs the body again. It does not create
 * the folder first, because the folder usually exists.
 */
async function withParentFolder(path: string, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await body();
  }
}

async function hashFileAt(path: string): Promise<string> {
  await using file = await open(path);
  return await hashFile(file);
}
