import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/**
 * An open folder that Paraph accesses by its handle. No program can therefore replace the folder with a link after
 * Paraph has checked it. A sandboxed program cannot leave its folders, but such a link could redirect Paraph. Names
 * have one character per byte.
 */
export interface FolderHandle extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Returns the path of an entry in the folder. The path is valid while the folder is open. */
  toPath(name: string): Buffer;
}

export async function openFolder(path: string | Buffer): Promise<FolderHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const prefix = Buffer.from(`/proc/self/fd/${handle.fd}/`);
  return {
    handle,
    toPath: (name) => Buffer.concat([prefix, Buffer.from(name, "latin1")]),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Opens the parent folder of a path and returns it with the entry's name. */
export async function openParent(
  root: string,
  path: string,
): Promise<{ folder: FolderHandle; name: string }> {
  const names = path.split("/");
  const name = names.pop()!;
  let folder = await openFolder(root);
  for (const next of names) {
    const outer = folder;
    try {
      folder = await openFolder(outer.toPath(next));
    } finally {
      await outer[Symbol.asyncDispose]();
    }
  }
  return { folder, name };
}

/** Opens a file for reading. It never follows a link and does not wait for a pipe. */
export function openFile(folder: FolderHandle, name: string): Promise<FileHandle> {
  return open(folder.toPath(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}
