import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import type { FilesContext } from "../context.ts";
import { markForRemoval, removeTree, restoreStaged, stageForDelete } from "../drafts/staged-delete.ts";
import { encodeContent } from "../entries/content.ts";
import { type ExistingEntry, readEntry, requireExisting } from "../entries/entry.ts";
import { type EntryBasis, parseEntryBasis, requireEntryBasis } from "../entries/entry-basis.ts";
import { pathChangedFault } from "../entries/write-basis.ts";
import { type OpenFolder, type ReachedFolder, syncFolder, withOpenFolder } from "../paths/open-folder.ts";
import { removeEmptyFolders } from "../paths/parent-folders.ts";
import { type FilePath, parseFilePath } from "../paths/path.ts";
import type { DeleteInput, DeleteOutput } from "./delete.ts";
import { isRestorable, requireDeletable } from "./delete-preview.ts";

/**
 * Checks the entry, and then stages it with one rename. Before it removes the staged entry, it verifies that this entry
 * is the approved one.
 */
export async function applyDelete(
  filesContext: FilesContext,
  input: DeleteInput,
  context: ExecutionContext,
): Promise<DeleteOutput> {
  const place = parseFilePath(input.path);
  const basis = parseEntryBasis(context.basis);
  throwIfStopped(context);
  const gone = await withOpenFolder(filesContext.root, place.folders, async (reached) => {
    if (reached.missing.length > 0) throw pathChangedFault(place.path);
    const now = await readEntry(reached, place, filesContext.maxBytes);
    requireEntryBasis(basis, now, place.path);
    const found = requireExisting(now, place);
    requireDeletable(found, place, input);
    throwIfStopped(context);
    const aside = await stageForDelete(reached.folder, place, context);
    await requireApproved(filesContext, reached, place, aside, basis);
    await removeStaged(reached.folder, aside, place);
    return found;
  });
  await removeEmptyFolders(filesContext, place, input.emptyFolders).catch(() => {
    // Ignores a failed removal, because the deletion itself is complete and an empty folder that remains is harmless.
  });
  return toDeleteOutput(gone);
}

/**
 * Compares the staged entry with the approved one, because the entry may have changed after the last check. If they
 * differ, the staged entry is restored.
 */
async function requireApproved(
  filesContext: FilesContext,
  reached: ReachedFolder,
  place: FilePath,
  aside: string,
  basis: EntryBasis,
): Promise<void> {
  try {
    requireEntryBasis(basis, await readEntry(reached, place, filesContext.maxBytes, aside), place.path);
  } catch (error) {
    if (await restoreStaged(reached.folder, aside, place).catch(() => false)) throw error;
    throw new CapabilityError(
      "ambiguous",
      "set-aside",
      `\`${place.path}\` changed during the deletion, and Paraph could not restore it. Its name is now \`${aside}\`, in the same folder. Rename it on the server to restore it.`,
    );
  }
}

/**
 * Removes the staged entry. If the removal fails, the entry has already left its path. The probe then continues the
 * removal, or Paraph asks a person.
 */
async function removeStaged(folder: OpenFolder, aside: string, { path }: FilePath): Promise<void> {
  try {
    await removeTree(folder, await markForRemoval(folder, aside));
    await syncFolder(folder);
  } catch {
    throw new CapabilityError(
      "ambiguous",
      "not-removed",
      `Paraph renamed \`${path}\` before the deletion, but could not delete all of it. Check the permissions in its folder.`,
    );
  }
}

function toDeleteOutput(found: ExistingEntry): DeleteOutput {
  return isRestorable(found)
    ? { kind: "file", previous: encodeContent(found.content) }
    : { kind: found.kind };
}
