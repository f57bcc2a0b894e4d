import { CapabilityError, type ExecutionContext, type Probe } from "@paraph/core";
import { listStaged, markForRemoval, removeTree, restoreStaged } from "./aside.ts";
import type { DeleteInput } from "./delete.ts";
import { isMarkedForRemoval } from "./draft-name.ts";
import { type PathEntry, readEntry } from "./entry.ts";
import { type EntryBasis, matchesBasis, parseEntryBasis } from "./fact.ts";
import { removeEmptyFolders } from "./folders.ts";
import { type FilePath, parseFilePath } from "./path.ts";
import { runFileProbe } from "./probing.ts";
import { type ReachedFolder, syncFolder, withOpenFolder } from "./rooted.ts";
import type { FilesContext } from "./setting.ts";

/** [P7] An attempt ended unseen: did it delete? What it had set aside is removed or put back first. */
export async function probeDelete(
  setting: FilesContext,
  input: DeleteInput,
  world: ExecutionContext,
): Promise<Probe> {
  return runFileProbe(input.path, async () => {
    const place = parseFilePath(input.path);
    const basis = parseEntryBasis(world.basis);
    if (basis.kind === "absent") return { kind: "unsure" };
    const found = await withOpenFolder(setting.root, place.folders, (reached) =>
      settleDelete(setting, reached, place, basis, world),
    );
    if (found !== "present") return { kind: found };
    await removeEmptyFolders(setting, place, input.emptyFolders).catch(() => {});
    // What the file held is gone from sight: without it no way back is offered.
    return { kind: "present", output: { kind: basis.kind } };
  });
}

async function settleDelete(
  setting: FilesContext,
  reached: ReachedFolder,
  place: FilePath,
  basis: EntryBasis,
  world: ExecutionContext,
): Promise<Probe["kind"]> {
  const { folder, missing } = reached;
  const asides = missing.length > 0 ? [] : await listStaged(folder, world.call);
  let taken = false;
  for (const aside of asides) {
    if (isMarkedForRemoval(aside) || (await isApproved(setting, reached, place, basis, aside))) {
      await removeTree(folder, isMarkedForRemoval(aside) ? aside : await markForRemoval(folder, aside));
      taken = true;
    } else if (!(await restoreStaged(folder, aside, place))) {
      throw new CapabilityError(
        "permanent",
        "set-aside",
        `\`${place.path}\`: beside its place as \`${aside}\`.`,
      );
    }
  }
  // Seen in the aside: it was done, whatever came to its place since.
  const now: PathEntry = taken ? { kind: "absent" } : await readEntry(reached, place, setting.maxBytes);
  if (now.kind === "absent") {
    if (missing.length === 0) await syncFolder(folder);
    return "present";
  }
  // Put back, it is where it was, though not what was approved: the next attempt will say so.
  return matchesBasis(basis, now) || asides.length > 0 ? "absent" : "unsure";
}

async function isApproved(
  setting: FilesContext,
  reached: ReachedFolder,
  place: FilePath,
  basis: EntryBasis,
  aside: string,
): Promise<boolean> {
  return readEntry(reached, place, setting.maxBytes, aside).then(
    (entry) => matchesBasis(basis, entry),
    () => false,
  );
}
