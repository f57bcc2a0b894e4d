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

/**
 * [P7] Probes whether an attempt with an unknown outcome deleted the entry. The probe first removes or restores staged
 * entries.
 */
export async function probeDelete(
  filesContext: FilesContext,
  input: DeleteInput,
  context: ExecutionContext,
): Promise<Probe> {
  return runFileProbe(input.path, async () => {
    const place = parseFilePath(input.path);
    const basis = parseEntryBasis(context.basis);
    if (basis.kind === "absent") return { kind: "unsure" };
    const found = await withOpenFolder(filesContext.root, place.folders, (reached) =>
      settleDelete(filesContext, reached, place, basis, context),
    );
    if (found !== "present") return { kind: found };
    await removeEmptyFolders(filesContext, place, input.emptyFolders).catch(() => {});
    // The content of the deleted file is no longer known, so Paraph offers no undo.
    return { kind: "present", output: { kind: basis.kind } };
  });
}

async function settleDelete(
  filesContext: FilesContext,
  reached: ReachedFolder,
  place: FilePath,
  basis: EntryBasis,
  context: ExecutionContext,
): Promise<Probe["kind"]> {
  const { folder, missing } = reached;
  const asides = missing.length > 0 ? [] : await listStaged(folder, context.call);
  let taken = false;
  for (const aside of asides) {
    if (isMarkedForRemoval(aside) || (await isApproved(filesContext, reached, place, basis, aside))) {
      await removeTree(folder, isMarkedForRemoval(aside) ? aside : await markForRemoval(folder, aside));
      taken = true;
    } else if (!(await restoreStaged(folder, aside, place))) {
      throw new CapabilityError(
        "permanent",
        "set-aside",
        `Paraph could not restore \`${place.path}\`. Its name is now \`${aside}\`, in the same folder. Rename it on the server to restore it.`,
      );
    }
  }
  // The staged entry proves the deletion, regardless of any later entry at the path.
  const now: PathEntry = taken ? { kind: "absent" } : await readEntry(reached, place, filesContext.maxBytes);
  if (now.kind === "absent") {
    if (missing.length === 0) await syncFolder(folder);
    return "present";
  }
  // If the probe restored a staged entry, that entry is at its path again, so the probe reports `absent`. The entry is
  // not the approved one, and the next attempt reports the difference.
  return matchesBasis(basis, now) || asides.length > 0 ? "absent" : "unsure";
}

async function isApproved(
  filesContext: FilesContext,
  reached: ReachedFolder,
  place: FilePath,
  basis: EntryBasis,
  aside: string,
): Promise<boolean> {
  return readEntry(reached, place, filesContext.maxBytes, aside).then(
    (entry) => matchesBasis(basis, entry),
    () => false,
  );
}
