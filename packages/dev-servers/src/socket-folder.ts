import { createHash } from "node:crypto";
import { lstat, mkdir, readlink, symlink, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerError } from "./server-error.ts";

/**
 * The maximum length of a socket's path in bytes. macOS allows 103 bytes and Linux allows 107, so Paraph uses the lower
 * limit on both.
 */
const maxPathBytes = 103;

/**
 * Returns the folder itself if the system accepts the paths of sockets in it. Otherwise returns a link to the folder
 * with a short path. The link is in the system's temporary folder, in a subfolder that only this user can enter.
 */
export async function prepareSocketFolder(folder: string, longestName: string): Promise<string> {
  if (Buffer.byteLength(join(folder, longestName)) <= maxPathBytes) return folder;
  const digest = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  const own = join(tmpdir(), `paraph-${digest}`);
  await mkdir(own, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await requirePrivateFolder(own);
  const link = join(own, "d");
  if (Buffer.byteLength(join(link, longestName)) > maxPathBytes)
    throw new ServerError(
      "start-failed",
      `The path \`${folder}\` is too long for sockets, and so is the path of its link in the temporary folder. Set TMPDIR to a shorter path.`,
    );
  if ((await readlink(link).catch(() => undefined)) !== folder) {
    await unlink(link).catch(() => {});
    await symlink(folder, link);
  }
  return link;
}

/** Rejects a folder of another user, who could replace the link in it. */
async function requirePrivateFolder(folder: string): Promise<void> {
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0) return;
  throw new ServerError(
    "start-failed",
    `\`${folder}\` must be a folder that only you can enter. Remove it and start again.`,
  );
}
