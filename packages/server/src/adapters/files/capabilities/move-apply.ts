import { link, rename, unlink } from "node:fs/promises";
import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { type FilesContext, throwIfStopped } from "../context.ts";
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

/** Looks, makes folders where told to, looks again, and moves. */
export async function applyMove(
  setting: FilesContext,
  input: MoveInput,
  world: ExecutionContext,
): Promise<MoveOutput> {
  const places = parseMovePaths(input);
  const basis = parseSourceBasis(world.basis);
  const lookAgain = async (source: ReachedFolder, target: ReachedFolder): Promise<void> => {
    requireEntryBasis(basis, await readEntry(source, places.from, setting.maxBytes), places.from.path);
    requireFolders(target, places.to, input.createFolders);
    await requireFreePath(target, places.to);
  };

  if (basis.kind === "absent") throw pathChangedFault(places.from.path);
  throwIfStopped(world);
  // Before folders are made: a move that is refused leaves none behind.
  const made = await withBothFolders(setting, places, async (source, target) => {
    await lookAgain(source, target);
    return toFoldersMade(target, input.createFolders, world);
  });
  const act = async (source: ReachedFolder, target: ReachedFolder): Promise<void> => {
    if (source.missing.length > 0) throw pathChangedFault(places.from.path);
    if (target.missing.length > 0) throw folderGoneFault(places.to);
    await lookAgain(source, target);
    throwIfStopped(world);
    if (basis.kind === "file") await moveFile(setting, places, source, target, basis);
    else await moveFolder(places, source, target);
    await requireDurable(places.to.path, "moved", target.folder, source.folder);
  };
  await withBothFolders(setting, places, act, input.createFolders);
  await removeEmptyFolders(setting, places.from, input.emptyFolders).catch(() => {
    // An empty folder that stays harms nobody, and what was asked for is done.
  });
  return { kind: basis.kind, ...made };
}

/** A second name, which fails if it is taken; then, with the file under both, the first name goes. */
async function moveFile(
  setting: FilesContext,
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
    // What was linked is what is at the new name, whatever the old one leads to by now.
    requireEntryBasis(basis, await readEntry(target, places.to, setting.maxBytes), places.from.path);
    // First on disk: a loss of power leaves two names rather than none.
    await syncFolder(target.folder);
    await dropOldName(places, source, target);
  } catch (error) {
    await dropNewName(places, source, target);
    throw error;
  }
}

/** Somebody may have put another file under the old name since, and that one is not ours to remove. */
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

/** The way out before the old name is gone. Only while the file still has it: the last name is never dropped. */
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
    // Told below.
  }
  throw new CapabilityError(
    "ambiguous",
    "half-moved",
    `\`${places.from.path}\` changed while it was moved: what it was is at \`${places.to.path}\`.`,
  );
}

/**
 * One step. POSIX lets it replace an empty folder: one that another program makes at the destination after our last
 * look is lost, which is a folder with nothing in it. Anything else there makes the step fail. Node has no
 * renameat2(RENAME_NOREPLACE), which would close this.
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
      `\`${to.path}\` is on another file system than \`${from.path}\`: copy, then delete.`,
    );
  return toFileFault(error, from.path, "ambiguous");
}
