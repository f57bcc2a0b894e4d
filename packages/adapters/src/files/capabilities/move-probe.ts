import type { ExecutionContext, Probe } from "@paraph/core";
import type { FilesContext } from "../context.ts";
import { readEntry } from "../entries/entry.ts";
import { type EntryBasis, matchesBasis, parseSourceBasis } from "../entries/entry-basis.ts";
import { type ReachedFolder, resolveInFolder, syncFolder } from "../paths/open-folder.ts";
import { assumeFoldersMade, removeEmptyFolders } from "../paths/parent-folders.ts";
import { isSameFile } from "../paths/same-file.ts";
import { runFileProbe } from "../run-probe.ts";
import type { MoveInput } from "./move.ts";
import { dropNewName, dropOldName } from "./move-apply.ts";
import { type MovePaths, parseMovePaths, withBothFolders } from "./move-preview.ts";

/**
 * [P7] Probes whether an attempt with an unknown outcome moved the entry. If a file has both names, the probe first
 * removes one. It removes the old name if the file is the approved one, and otherwise the new name.
 */
export async function probeMove(
  filesContext: FilesContext,
  input: MoveInput,
  context: ExecutionContext,
): Promise<Probe> {
  return runFileProbe(input.from, async () => {
    const places = parseMovePaths(input);
    const basis = parseSourceBasis(context.basis);
    if (basis.kind === "absent") return { kind: "unsure" };
    const found = await withBothFolders(filesContext, places, (source, target) =>
      settleMove(filesContext, places, source, target, basis),
    );
    if (found !== "present") return { kind: found };
    await removeEmptyFolders(filesContext, places.from, input.emptyFolders).catch(() => {});
    return { kind: "present", output: { kind: basis.kind, ...assumeFoldersMade(input.createFolders) } };
  });
}

async function settleMove(
  filesContext: FilesContext,
  places: MovePaths,
  source: ReachedFolder,
  target: ReachedFolder,
  basis: EntryBasis,
): Promise<Probe["kind"]> {
  if (await hasBothNames(places, source, target)) {
    // The destination was free before this call. This call therefore created the second name, and the probe may remove
    // one of the two names.
    const approved = matchesBasis(basis, await readEntry(target, places.to, filesContext.maxBytes));
    if (!approved) {
      await dropNewName(places, source, target);
      return "absent";
    }
    await dropOldName(places, source, target);
  }
  const from = await readEntry(source, places.from, filesContext.maxBytes);
  const to = await readEntry(target, places.to, filesContext.maxBytes);
  if (from.kind === "absent" && matchesBasis(basis, to)) {
    await syncFolder(target.folder);
    if (source.missing.length === 0) await syncFolder(source.folder);
    return "present";
  }
  return matchesBasis(basis, from) && to.kind === "absent" ? "absent" : "unsure";
}

async function hasBothNames(
  { from, to }: MovePaths,
  source: ReachedFolder,
  target: ReachedFolder,
): Promise<boolean> {
  if (source.missing.length > 0 || target.missing.length > 0) return false;
  return isSameFile(
    await resolveInFolder(source.folder, from.name),
    await resolveInFolder(target.folder, to.name),
  );
}
