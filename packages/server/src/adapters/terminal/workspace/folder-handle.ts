import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/**
 * A folder held open, and entered by its handle: nobody can put a link in its place between a look and a step. What
 * runs in a sandbox cannot get out, but this side could be led out. Names hold one character for each byte.
 */
export interface FolderHandle extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Where something in it is, for as long as it is held. */
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

/** The folder a path lies in, and its name there. */
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

/** For reading; never through a link, and a pipe is not waited for. */
export function openFile(folder: FolderHandle, name: string): Promise<FileHandle> {
  return open(folder.toPath(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}
