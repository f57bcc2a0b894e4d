import { constants } from "node:fs";
import { type FileHandle, link, readdir, rename, unlink } from "node:fs/promises";
import { CapabilityError, type ExecutionContext } from "@paraph/core";
import type { FileAtPath } from "../entries/read-file.ts";
import { pathChangedFault } from "../entries/write-basis.ts";
import { hasErrno, toFileFault } from "../file-fault.ts";
import { type OpenFolder, openInFolder, resolveInFolder } from "../paths/open-folder.ts";
import type { FilePath } from "../paths/path.ts";
import { createDraftName, isDraftOfCall } from "./draft-name.ts";
import { requireDurable } from "./require-durable.ts";

/** Writes the whole content to a draft in the same folder, syncs it to disk and returns the draft's name. */
export async function writeDraft(
  folder: OpenFolder,
  context: ExecutionContext,
  content: Buffer,
  replaced: FileAtPath,
  usual = 0o666,
): Promise<string> {
  const name = createDraftName(context.call, context.attempt);
  // Only the owner may read the draft of a replacement until the draft has the old file's mode. A new file gets the
  // usual mode.
  const mode = replaced.kind === "file" ? 0o600 : usual;
  try {
    await using handle = await openInFolder(
      folder,
      name,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      mode,
    );
    await handle.writeFile(content);
    if (replaced.kind === "file") await copyOwnerAndMode(handle, replaced.stat);
    await handle.sync();
    return name;
  } catch (error) {
    await discardDraft(folder, name);
    throw error;
  }
}

/**
 * Performs the effect of a write. Placing a new file fails if its name is already taken. A replacement either completes
 * or changes nothing.
 */
export async function placeDraft(
  folder: OpenFolder,
  draft: string,
  { name, path }: FilePath,
  replaced: FileAtPath,
): Promise<void> {
  const [from, to] = [await resolveInFolder(folder, draft), await resolveInFolder(folder, name)];
  try {
    await (replaced.kind === "file" ? rename(from, to) : link(from, to));
  } catch (error) {
    if (hasErrno(error, "EEXIST")) throw pathChangedFault(path);
    // If this attempt hung, a later attempt of the same call may have removed the draft or its folder.
    if (hasErrno(error, "ENOENT"))
      throw new CapabilityError("not-performed", "draft-gone", `\`${path}\`: the draft was removed.`);
    throw toFileFault(error, path, "ambiguous");
  }
  if (replaced.kind === "absent") await discardDraft(folder, draft);
  await requireDurable(path, "written", folder);
}

/**
 * Removes the drafts that earlier attempts of this call left behind, so that an attempt that hangs cannot place its
 * draft late.
 */
export async function sweepDrafts(folder: OpenFolder, call: string): Promise<void> {
  const names = await readdir(await resolveInFolder(folder, "."));
  for (const name of names.filter((each) => isDraftOfCall(each, call))) await discardDraft(folder, name);
}

export async function discardDraft(folder: OpenFolder, name: string): Promise<void> {
  // Ignores a failed removal, because a leftover draft is harmless. Lists hide the draft, paths cannot name it, and the
  // next attempt removes it.
  await unlink(await resolveInFolder(folder, name)).catch(() => {});
}

/**
 * Copies the owner and the permissions of the replaced file. It omits the set-id bits, because they were granted to
 * other content.
 */
async function copyOwnerAndMode(
  handle: FileHandle,
  { uid, gid, mode }: { uid: number; gid: number; mode: number },
): Promise<void> {
  const own = await handle.stat();
  // Only a privileged user may change a file's owner. If Paraph runs as an unprivileged user, the error is ignored. The
  // new file then belongs to Paraph's user, as with any editor.
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid).catch(() => {});
  await handle.chmod(mode & 0o777);
}
