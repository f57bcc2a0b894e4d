import { link, rename, unlink } from "node:fs/promises";
import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { basisMoved } from "./basis.ts";
import { durable } from "./durable.ts";
import { demandFree, entryAt, exists } from "./entry.ts";
import { approvedSource, demandFact, type Fact } from "./fact.ts";
import { fileFault, hasErrno } from "./file-fault.ts";
import { demandFolders, folderGone, madeFor, removeLeft } from "./folders.ts";
import type { MoveInput, MoveOutput } from "./move.ts";
import { inBoth, type Places, placesOf } from "./move-preview.ts";
import { type Reached, sync, within } from "./rooted.ts";
import { sameFile } from "./same-file.ts";
import { notStopped, type Setting } from "./setting.ts";

/** Looks, makes folders where told to, looks again, and moves. */
export async function applyMove(
  setting: Setting,
  input: MoveInput,
  world: ExecutionContext,
): Promise<MoveOutput> {
  const places = placesOf(input);
  const basis = approvedSource(world.basis);
  const lookAgain = async (source: Reached, target: Reached): Promise<void> => {
    demandFact(basis, await entryAt(source, places.from, setting.maxBytes), places.from.path);
    demandFolders(target, places.to, input.createFolders);
    await demandFree(target, places.to);
  };

  if (basis.kind === "absent") throw basisMoved(places.from.path);
  notStopped(world);
  // Before folders are made: a move that is refused leaves none behind.
  const made = await inBoth(setting, places, async (source, target) => {
    await lookAgain(source, target);
    return madeFor(target, input.createFolders, world);
  });
  const act = async (source: Reached, target: Reached): Promise<void> => {
    if (source.missing.length > 0) throw basisMoved(places.from.path);
    if (target.missing.length > 0) throw folderGone(places.to);
    await lookAgain(source, target);
    notStopped(world);
    if (basis.kind === "file") await moveFile(setting, places, source, target, basis);
    else await moveFolder(places, source, target);
    await durable(places.to.path, "moved", target.folder, source.folder);
  };
  await inBoth(setting, places, act, input.createFolders);
  await removeLeft(setting, places.from, input.emptyFolders).catch(() => {
    // An empty folder that stays harms nobody, and what was asked for is done.
  });
  return { kind: basis.kind, ...made };
}

/** A second name, which fails if it is taken; then, with the file under both, the first name goes. */
async function moveFile(
  setting: Setting,
  places: Places,
  source: Reached,
  target: Reached,
  basis: Fact,
): Promise<void> {
  await link(
    await within(source.folder, places.from.name),
    await within(target.folder, places.to.name),
  ).catch((error) => {
    throw moveFault(error, places);
  });
  try {
    // What was linked is what is at the new name, whatever the old one leads to by now.
    demandFact(basis, await entryAt(target, places.to, setting.maxBytes), places.from.path);
    // First on disk: a loss of power leaves two names rather than none.
    await sync(target.folder);
    await dropOldName(places, source, target);
  } catch (error) {
    await dropNewName(places, source, target);
    throw error;
  }
}

/** Somebody may have put another file under the old name since, and that one is not ours to remove. */
export async function dropOldName(places: Places, source: Reached, target: Reached): Promise<void> {
  const [from, to] = [
    await within(source.folder, places.from.name),
    await within(target.folder, places.to.name),
  ];
  if (!(await sameFile(from, to))) throw basisMoved(places.from.path);
  await unlink(from);
}

/** The way out before the old name is gone. Only while the file still has it: the last name is never dropped. */
export async function dropNewName(places: Places, source: Reached, target: Reached): Promise<void> {
  const [from, to] = [
    await within(source.folder, places.from.name),
    await within(target.folder, places.to.name),
  ];
  try {
    if (await sameFile(from, to)) return await unlink(to);
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
async function moveFolder(places: Places, source: Reached, target: Reached): Promise<void> {
  const [from, to] = [
    await within(source.folder, places.from.name),
    await within(target.folder, places.to.name),
  ];
  await rename(from, to).catch((error) => {
    throw moveFault(error, places);
  });
}

function moveFault(error: unknown, { from, to }: Places): unknown {
  if (hasErrno(error, "EEXIST", "ENOTEMPTY", "ENOTDIR", "EISDIR")) return exists(to.path);
  if (hasErrno(error, "ENOENT")) return basisMoved(from.path);
  if (hasErrno(error, "EXDEV"))
    return new CapabilityError(
      "permanent",
      "other-file-system",
      `\`${to.path}\` is on another file system than \`${from.path}\`: copy, then delete.`,
    );
  return fileFault(error, from.path, "ambiguous");
}
