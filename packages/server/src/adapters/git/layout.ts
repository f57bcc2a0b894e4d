import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError } from "@paraph/core";

/** A repository is what it seems to be: its own folder `.git`, with its own objects and refs, none of them elsewhere. */
export async function demandLayout(root: string): Promise<void> {
  const git = join(root, ".git");
  if (/[\n"]/.test(root)) throw refusal("its path has a line end or a quote in it");
  const kind = await kindOf(git);
  if (kind === "absent") throw refusal("there is no `.git` in it");
  if (kind === "file")
    throw refusal("its `.git` is a file that points elsewhere: name the repository that it points to");
  if (kind !== "folder") throw refusal("its `.git` is a link: name the repository itself");
  for (const name of ["objects", "refs", "refs/heads"])
    if ((await kindOf(join(git, name))) !== "folder") throw refusal(`\`.git/${name}\` is not a folder`);
  for (const name of ["commondir", "objects/info/alternates", "objects/info/http-alternates"])
    if ((await kindOf(join(git, name))) !== "absent")
      throw refusal(`\`.git/${name}\` borrows from somewhere else`);
  for (const name of ["refs/tags", "refs/remotes", "logs", "logs/refs", "logs/refs/heads", "info"])
    if (!["absent", "folder"].includes(await kindOf(join(git, name))))
      throw refusal(`\`.git/${name}\` is not a folder`);
  for (const name of ["packed-refs", "index", "logs/HEAD"])
    if (!["absent", "file"].includes(await kindOf(join(git, name))))
      throw refusal(`\`.git/${name}\` is not a file`);
}

/** Nothing on the way to a ref, or to git's log of it, leads elsewhere: git would follow, and write there. */
export async function demandNoLinks(root: string, ref: string): Promise<void> {
  for (const path of [ref, `logs/${ref}`]) {
    const parts = path.split("/");
    for (let at = 1; at <= parts.length; at++) {
      const part = parts.slice(0, at).join("/");
      if ((await kindOf(join(root, ".git", part))) === "link") throw refusal("one of its refs is a link");
    }
  }
}

/** A small file of git's own, or nothing where there is none. Links are not followed, and a pipe is not waited for. */
export async function smallFile(root: string, name: string): Promise<Buffer | undefined> {
  const path = join(root, ".git", name);
  if ((await kindOf(path)) === "absent") return undefined;
  const unusable = () => refusal(`\`.git/${name}\` is not a file, or too large`);
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => {
      throw unusable();
    },
  );
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > mostBytes) throw unusable();
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export function refusal(reason: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "repository-refused",
    `The repository cannot be used here: ${reason}.`,
  );
}

const mostBytes = 1024 * 1024;

async function kindOf(path: string): Promise<"absent" | "file" | "folder" | "link" | "other"> {
  const stat = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (stat === undefined) return "absent";
  return stat.isSymbolicLink() ? "link" : stat.isDirectory() ? "folder" : stat.isFile() ? "file" : "other";
}
