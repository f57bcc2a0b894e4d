import { access, chown, lstat, mkdir, open, readFile, realpath, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The content of a file: its bytes and its permissions. */
export interface FileContent {
  readonly kind: "file";
  readonly bytes: Buffer;
  readonly mode: number;
  /** The owner, if it is not the current user. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

export type FileState = { readonly kind: "absent" } | FileContent;

/** The write operations on a disk. The effect of an operation is durable when its promise resolves. */
export interface Disk {
  /** Creates a file. Fails if the file already exists. */
  write(path: string, content: FileContent): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Removes the folder only if it is empty. */
  removeFolder(path: string): Promise<void>;
}

export const realDisk: Disk = {
  async write(path, { bytes, mode, owner }) {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      if (owner) await chown(path, owner.uid, owner.gid);
      // The mode is set after the owner, because changing the owner may remove permissions. Until the mode is set, only
      // the current user can read the file.
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

/** Resolves links in a path. A person's settings file may be a link, and an edit must keep that link. */
export async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return join(await resolveLinks(dirname(path)), basename(path));
  }
}

/** Syncs a folder, because a new name in the folder is durable only after the sync. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
