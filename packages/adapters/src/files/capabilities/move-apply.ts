import { link, rename, unlink } from "node:fs/promises";
import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import type { FilesContext } from "../context.ts";
import { requireDurable } from "../drafts/require-durable.ts";
import { existsFault, readEntry, requireFreePath } from "../entries/entry.ts";
import { type EntryBasis, parseSourceBasis, requireEntryBasis } from "../entries/entry-basis.ts";
import { pathChangedFault } from "../entries/write-basis.ts";
import { hasErrno, toFileFault } from "../file-fault.ts";
import { type ReachedFolder, resolveInFolder, syncFolder } from "../paths/open-folder.ts";
import {
  folderGoneFault,
  removeEmptyFolders,
  requireFolders,
  toFoldersMade,
} from "../paths/parent-folders.ts";
import { isSameFile } from "../paths/same-file.ts";
import type { MoveInput, MoveOutput } from "./move.ts";
import { type MovePaths, parseMovePaths, withBothFolders } from "./move-preview.ts";

/**
 * Checks the basis and creates missing folders if the input allows it. Then checks the basis again and moves the entry.
 */
export async function applyMove(
  filesContext: FilesContext,
  input: MoveInput,
  context: ExecutionContext,
): Promise<MoveOutput> {
  const places = parseMovePaths(input);
  const basis = parseSourceBasis(context.basis);
  const lookAgain = async (source: ReachedFolder, target: ReachedFolder): Promise<void> => {
    requireEntryBasis(basis, await readEntry(source, places.from, filesContext.maxBytes), places.from.path);
    requireFolders(target, places.to, input.createFolders);
    await requireFreePath(target, places.to);
  };

  if (basis.kind === "absent") throw pathChangedFault(places.from.path);
  throwIfStopped(context);
  // Checks the basis before the call creates folders, so that a rejected move leaves no new folders behind.
  const made = await withBothFolders(filesContext, places, async (source, target) => {
    await lookAgain(source, target);
    return toFoldersMade(target, input.createFolders, context);
  });
  const act = async (source: ReachedFolder, target: ReachedFolder): Promise<void> => {
    if (source.missing.length > 0) throw pathChangedFault(places.from.path);
    if (target.missing.length > 0) throw folderGoneFault(places.to);
    await lookAgain(source, target);
    throwIfStopped(context);
    if (basis.kind === "file") await moveFile(filesContext, places, source, target, basis);
    else await moveFolder(places, source, target);
    await requireDurable(places.to.path, "moved", target.folder, source.folder);
  };
  await withBothFolders(filesContext, places, act, input.createFolders);
  await removeEmptyFolders(filesContext, places.from, input.emptyFolders).catch(() => {
    // Ignores a failed removal, because the move itself is complete and an empty folder that remains is harmless.
  });
  return { kind: basis.kind, ...made };
}

/**
 * Moves a file. It links the file to the new name, which fails if that name is taken, and then removes the old name.
 */
async function moveFile(
  filesContext: FilesContext,
  places: MovePaths,
  source: ReachedFolder,
  target: ReachedFolder,
  basis: EntryBasis,
): Promise<void> {
  await link(
    await resolveInFolder(source.folder, places.from.name),
    await resolveInFolder(target.folder, places.to.name),
  ).catch((error) => {
    throw toMoveFault(error, places);
  });
  try {
    // The check reads the new name, because that name refers to the file that this call linked. The old name may by now
    // refer to another file.
    requireEntryBasis(basis, await readEntry(target, places.to, filesContext.maxBytes), places.from.path);
    // The new name must be on disk before the old name is removed. A power loss then leaves two names instead of none.
    await syncFolder(target.folder);
    await dropOldName(places, source, target);
  } catch (error) {
    await dropNewName(places, source, target);
    throw error;
  }
}

/**
 * Removes the old name. It throws if that name now refers to another file, because this call must not remove that file.
 */
export async function dropOldName(
  places: MovePaths,
  source: ReachedFolder,
  target: ReachedFolder,
): Promise<void> {
  const [from, to] = [
    await resolveInFolder(source.folder, places.from.name),
    await resolveInFolder(target.folder, places.to.name),
  ];
  if (!(await isSameFile(from, to))) throw pathChangedFault(places.from.path);
  await unlink(from);
}

/**
 * Removes the new name after a failure, but only if the file still has its old name. The file thus never loses its last
 * name.
 */
export async function dropNewName(
  places: MovePaths,
  source: ReachedFolder,
  target: ReachedFolder,
): Promise<void> {
  const [from, to] = [
    await resolveInFolder(source.folder, places.from.name),
    await resolveInFolder(target.folder, places.to.name),
  ];
  try {
    if (await isSameFile(from, to)) return await unlink(to);
  } catch {
    // Ignores the error, because a failed check and a failed removal both lead to the error below.
  }
  throw new CapabilityError(
    "ambiguous",
    "half-moved",
    `\`${places.from.path}\` changed during the move. Its previous version is at \`${places.to.path}\`. Compare both, and delete the one that you do not need.`,
  );
}

/**
 * Moves a folder in one step. POSIX lets a rename replace an empty folder. If another program creates an empty folder
 * at the destination after the last check, that folder is lost. Any other entry there makes the rename fail. Node has
 * no renameat2(RENAME_NOREPLACE), which would prevent the loss.
 */
async function moveFolder(places: MovePaths, source: ReachedFolder, target: ReachedFolder): Promise<void> {
  const [from, to] = [
    await resolveInFolder(source.folder, places.from.name),
    await resolveInFolder(target.folder, places.to.name),
  ];
  await rename(from, to).catch((error) => {
    throw toMoveFault(error, places);
  });
}

function toMoveFault(error: unknown, { from, to }: MovePaths): unknown {
  if (hasErrno(error, "EEXIST", "ENOTEMPTY", "ENOTDIR", "EISDIR")) return existsFault(to.path);
  if (hasErrno(error, "ENOENT")) return pathChangedFault(from.path);
  if (hasErrno(error, "EXDEV"))
    return new CapabilityError(
      "permanent",
      "other-file-system",
      `Paraph cannot move to \`${to.path}\`, because \`${from.path}\` is on a different file system. Copy the file, then delete the original.`,
    );
  return toFileFault(error, from.path, "ambiguous");
}
