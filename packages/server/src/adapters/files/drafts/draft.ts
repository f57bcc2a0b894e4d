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

/** Writes the content beside its place, wholly and on disk; returns the draft's name. */
export async function writeDraft(
  folder: OpenFolder,
  world: ExecutionContext,
  content: Buffer,
  replaced: FileAtPath,
  usual = 0o666,
): Promise<string> {
  const name = createDraftName(world.call, world.attempt);
  // A file that replaces another is nobody else's to read until it has that one's mode; a new one gets the usual mode.
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

/** The effect. A new name fails if the name was taken meanwhile; a replacement is whole or not there. */
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
    // The draft or its folder was taken away, which a later attempt of this call does to a frozen one.
    if (hasErrno(error, "ENOENT"))
      throw new CapabilityError("not-performed", "draft-gone", `\`${path}\`: the draft was removed.`);
    throw toFileFault(error, path, "ambiguous");
  }
  if (replaced.kind === "absent") await discardDraft(folder, draft);
  await requireDurable(path, "written", folder);
}

/** What an attempt of this call left when its process died. Taken away, it can also not be placed late. */
export async function sweepDrafts(folder: OpenFolder, call: string): Promise<void> {
  const names = await readdir(await resolveInFolder(folder, "."));
  for (const name of names.filter((each) => isDraftOfCall(each, call))) await discardDraft(folder, name);
}

export async function discardDraft(folder: OpenFolder, name: string): Promise<void> {
  // Left over it harms nobody: hidden from lists, refused as a path, swept by the next attempt.
  await unlink(await resolveInFolder(folder, name)).catch(() => {});
}

/** Owner and permissions of the file it replaces, without set-id bits: those were given to other content. */
async function copyOwnerAndMode(
  handle: FileHandle,
  { uid, gid, mode }: { uid: number; gid: number; mode: number },
): Promise<void> {
  const own = await handle.stat();
  // Only a privileged user may give a file away; for another the new file is its own, as with any editor.
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid).catch(() => {});
  await handle.chmod(mode & 0o777);
}
