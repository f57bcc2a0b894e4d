import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { doom, putBack, remove, setAside } from "./aside.ts";
import { basisMoved } from "./basis.ts";
import { contentOf } from "./content.ts";
import type { DeleteInput, DeleteOutput } from "./delete.ts";
import { demandDeletable, isKept } from "./delete-preview.ts";
import { demandThere, entryAt, type Thing } from "./entry.ts";
import { approvedFact, demandFact, type Fact } from "./fact.ts";
import { removeLeft } from "./folders.ts";
import { type Place, placeOf } from "./path.ts";
import { type Folder, inFolder, type Reached, sync } from "./rooted.ts";
import { notStopped, type Setting } from "./setting.ts";

/** Looks, takes the thing out of its place in one step, makes sure it is what was approved, and removes it. */
export async function applyDelete(
  setting: Setting,
  input: DeleteInput,
  world: ExecutionContext,
): Promise<DeleteOutput> {
  const place = placeOf(input.path);
  const basis = approvedFact(world.basis);
  notStopped(world);
  const gone = await inFolder(setting.root, place.folders, async (reached) => {
    if (reached.missing.length > 0) throw basisMoved(place.path);
    const now = await entryAt(reached, place, setting.maxBytes);
    demandFact(basis, now, place.path);
    const found = demandThere(now, place);
    demandDeletable(found, place, input);
    notStopped(world);
    const aside = await setAside(reached.folder, place, world);
    await demandApproved(setting, reached, place, aside, basis);
    await finish(reached.folder, aside, place);
    return found;
  });
  await removeLeft(setting, place, input.emptyFolders).catch(() => {
    // An empty folder that stays harms nobody, and what was asked for is done.
  });
  return outputOf(gone);
}

/** The last look was before the step; what slipped in between is seen here, and goes back where it was. */
async function demandApproved(
  setting: Setting,
  reached: Reached,
  place: Place,
  aside: string,
  basis: Fact,
): Promise<void> {
  try {
    demandFact(basis, await entryAt(reached, place, setting.maxBytes, aside), place.path);
  } catch (error) {
    if (await putBack(reached.folder, aside, place).catch(() => false)) throw error;
    throw new CapabilityError(
      "ambiguous",
      "set-aside",
      `\`${place.path}\` changed while it was deleted and could not be put back: it is beside its place as \`${aside}\`.`,
    );
  }
}

/** From here on a failure leaves something out of its place: the probe goes on with it, or a person is asked. */
async function finish(folder: Folder, aside: string, { path }: Place): Promise<void> {
  try {
    await remove(folder, await doom(folder, aside));
    await sync(folder);
  } catch {
    throw new CapabilityError(
      "ambiguous",
      "not-removed",
      `\`${path}\` was taken out of its place, but not all of it could be removed.`,
    );
  }
}

function outputOf(found: Thing): DeleteOutput {
  return isKept(found) ? { kind: "file", previous: contentOf(found.content) } : { kind: found.kind };
}
