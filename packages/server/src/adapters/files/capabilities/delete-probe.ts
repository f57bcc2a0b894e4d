import { CapabilityError, type ExecutionContext, type Probe } from "@paraph/core";
import type { FilesContext } from "../context.ts";
import { isMarkedForRemoval } from "../drafts/draft-name.ts";
import { listStaged, markForRemoval, removeTree, restoreStaged } from "../drafts/staged-delete.ts";
import { type PathEntry, readEntry } from "../entries/entry.ts";
import { type EntryBasis, matchesBasis, parseEntryBasis } from "../entries/entry-basis.ts";
import { type ReachedFolder, syncFolder, withOpenFolder } from "../paths/open-folder.ts";
import { removeEmptyFolders } from "../paths/parent-folders.ts";
import { type FilePath, parseFilePath } from "../paths/path.ts";
import { runFileProbe } from "../run-probe.ts";
import type { DeleteInput } from "./delete.ts";

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
