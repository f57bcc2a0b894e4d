import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError } from "@paraph/core";

/** Rejects a repository that does not have its own `.git` folder with its own objects and refs. */
export async function requireLayout(root: string): Promise<void> {
  const git = join(root, ".git");
  if (/[\n"]/.test(root)) throw repositoryRefusedFault("its path contains a line break or a quote");
  const kind = await readPathKind(git);
  if (kind === "absent") throw repositoryRefusedFault("it has no `.git` folder");
  if (kind === "file")
    throw repositoryRefusedFault(
      "its `.git` is a file that points to another repository. Set `repository` to that repository",
    );
  if (kind !== "folder")
    throw repositoryRefusedFault(
      "its `.git` is a link. Set `repository` to the repository that contains the real `.git` folder",
    );
  for (const name of ["objects", "refs", "refs/heads"])
    if ((await readPathKind(join(git, name))) !== "folder")
      throw repositoryRefusedFault(`\`.git/${name}\` is not a folder`);
  for (const name of ["commondir", "objects/info/alternates", "objects/info/http-alternates"])
    if ((await readPathKind(join(git, name))) !== "absent")
      throw repositoryRefusedFault(`\`.git/${name}\` refers to another repository`);
  for (const name of ["refs/tags", "refs/remotes", "logs", "logs/refs", "logs/refs/heads", "info"])
    if (!["absent", "folder"].includes(await readPathKind(join(git, name))))
      throw repositoryRefusedFault(`\`.git/${name}\` is not a folder`);
  for (const name of ["packed-refs", "index", "logs/HEAD"])
    if (!["absent", "file"].includes(await readPathKind(join(git, name))))
      throw repositoryRefusedFault(`\`.git/${name}\` is not a file`);
}

/** Rejects links in the path of a ref or its reflog, because git would follow them and write to their target. */
export async function requireNoLinks(root: string, ref: string): Promise<void> {
  for (const path of [ref, `logs/${ref}`]) {
    const parts = path.split("/");
    for (let at = 1; at <= parts.length; at++) {
      const part = parts.slice(0, at).join("/");
      if ((await readPathKind(join(root, ".git", part))) === "link")
        throw repositoryRefusedFault("one of its refs is a symbolic link");
    }
  }
}

/** Reads a small file of git, or returns undefined if it does not exist. It follows no links and waits for no pipe. */
export async function readSmallFile(root: string, name: string): Promise<Buffer | undefined> {
  const path = join(root, ".git", name);
  if ((await readPathKind(path)) === "absent") return undefined;
  const unusable = () => repositoryRefusedFault(`\`.git/${name}\` is not a file, or is too large`);
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => {
      throw unusable();
    },
  );
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > maxSmallFileBytes) throw unusable();
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export function repositoryRefusedFault(reason: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "repository-refused",
    `Paraph cannot use the repository, because ${reason}.`,
  );
}

const maxSmallFileBytes = 1024 * 1024;

async function readPathKind(path: string): Promise<"absent" | "file" | "folder" | "link" | "other"> {
  const stat = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (stat === undefined) return "absent";
  return stat.isSymbolicLink() ? "link" : stat.isDirectory() ? "folder" : stat.isFile() ? "file" : "other";
}
