import { access, chown, lstat, mkdir, open, readFile, realpath, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** A file as it is put back: its bytes, and who may read them. */
export interface FileContent {
  readonly kind: "file";
  readonly bytes: Buffer;
  readonly mode: number;
  /** Whose it is, where that is not whoever writes it. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

export type FileState = { readonly kind: "absent" } | FileContent;

/** What editing does to the disk. Each of these is on the disk once it has returned, or did not happen. */
export interface Disk {
  /** A new file; it fails where there is one. */
  write(path: string, content: FileContent): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Only if it is empty. */
  removeFolder(path: string): Promise<void>;
}

export const realDisk: Disk = {
  async write(path, { bytes, mode, owner }) {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      if (owner) await chown(path, owner.uid, owner.gid);
      // After the owner: until then only we read it, and changing the owner may take permissions away.
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(dirname(path));
  },
  async rename(from, to) {
    await rename(from, to);
    await syncFolder(dirname(to));
  },
  async remove(path) {
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  },
  async makeFolder(path) {
    await mkdir(path, { mode: 0o700 });
    await syncFolder(dirname(path));
  },
  async removeFolder(path) {
    await rmdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST" && error.code !== "ENOENT") throw error;
    });
  },
};

export async function readFileState(path: string): Promise<FileState> {
  try {
    const { mode, uid, gid } = await lstat(path);
    const isOurs = process.getuid === undefined || uid === process.getuid();
    return {
      kind: "file",
      bytes: await readFile(path),
      mode: mode & 0o777,
      ...(!isOurs && { owner: { uid, gid } }),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { kind: "absent" };
    throw error;
  }
}

export function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Where a file really is: people keep settings in one place and link to them, and the link has to stay. */
export async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return join(await resolveLinks(dirname(path)), basename(path));
  }
}

/** A name is on the disk only once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
