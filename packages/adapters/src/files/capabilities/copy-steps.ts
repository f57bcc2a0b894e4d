import type { ExecutionContext, Preview, Probe } from "@paraph/core";
import { formatName } from "../../format-text.ts";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import type { FilesContext } from "../context.ts";
import { discardDraft, placeDraft, sweepDrafts, writeDraft } from "../drafts/draft.ts";
import { readEntry, requireFreePath } from "../entries/entry.ts";
import { absentBasis, parseSourceBasis } from "../entries/entry-basis.ts";
import { absentFile, type ExistingFile, readFileAtPath } from "../entries/read-file.ts";
import { pathChangedFault } from "../entries/write-basis.ts";
import { notFoundFault } from "../file-fault.ts";
import { formatSize } from "../format.ts";
import { type ReachedFolder, syncFolder, withOpenFolder } from "../paths/open-folder.ts";
import {
  assumeFoldersMade,
  folderGoneFault,
  listNewFolders,
  requireFolders,
  toFoldersMade,
} from "../paths/parent-folders.ts";
import { runFileProbe } from "../run-probe.ts";
import type { CopyInput, CopyOutput } from "./copy.ts";
import { type MovePaths, parseMovePaths, withBothFolders } from "./move-preview.ts";

/** [P3] Previews a copy. Opens files for reading only. */
export async function previewCopy(filesContext: FilesContext, input: CopyInput): Promise<Preview> {
  const places = parseMovePaths(input);
  return withBothFolders(filesContext, places, async (source, target) => {
    const found = await requireSource(filesContext, places, source);
    requireFolders(target, places.to, input.createFolders);
    await requireFreePath(target, places.to);
    const [bytes, sha256] = [found.content.length, found.sha256];
    return {
      changes: [
        ...listNewFolders(target, places.to),
        {
          kind: "create",
          target: places.to.path,
          summary: `New file, ${formatSize(bytes)}: a copy of ${formatName(places.from.path)}`,
          details: { from: places.from.path, bytes, sha256 },
        },
      ],
      basis: { from: { kind: "file", mark: sha256 }, to: absentBasis },
    };
  });
}

/**
 * Writes the whole copy to a draft. Then gives the draft its final name in one step, which fails if the name is taken.
 */
export async function applyCopy(
  filesContext: FilesContext,
  input: CopyInput,
  context: ExecutionContext,
): Promise<CopyOutput> {
  const places = parseMovePaths(input);
  const basis = parseSourceBasis(context.basis);
  throwIfStopped(context);
  // Checks the basis before the call creates folders, so that a rejected copy leaves no new folders behind.
  const [found, made] = await withBothFolders(filesContext, places, async (source, target) => {
    const from = await requireSource(filesContext, places, source);
    if (from.sha256 !== basis.mark) throw pathChangedFault(places.from.path);
    requireFolders(target, places.to, input.createFolders);
    await requireFreePath(target, places.to);
    return [from, toFoldersMade(target, input.createFolders, context)] as const;
  });
  const act = async ({ folder, missing }: ReachedFolder): Promise<void> => {
    if (missing.length > 0) throw folderGoneFault(places.to);
    await sweepDrafts(folder, context.call);
    // The copy gets the original's mode, limited by the server's umask and without set-id bits.
    const draft = await writeDraft(folder, context, found.content, absentFile, found.stat.mode & 0o777);
    try {
      throwIfStopped(context);
      await placeDraft(folder, draft, places.to, absentFile);
    } catch (error) {
      await discardDraft(folder, draft);
      throw error;
    }
  };
  await withOpenFolder(filesContext.root, places.to.folders, act, input.createFolders);
  return { bytes: found.content.length, sha256: found.sha256, ...made };
}

/** [P7] Probes whether an attempt with an unknown outcome created the copy. */
export async function probeCopy(
  filesContext: FilesContext,
  input: CopyInput,
  context: ExecutionContext,
): Promise<Probe> {
  return runFileProbe(input.to, async () => {
    const { to } = parseMovePaths(input);
    const basis = parseSourceBasis(context.basis);
    if (basis.mark === null) return { kind: "unsure" };
    const sha256 = basis.mark;
    return withOpenFolder(filesContext.root, to.folders, async (reached) => {
      // The drafts are removed first. Otherwise an attempt that hangs could place its draft after the probe reported
      // `absent`.
      if (reached.missing.length === 0) await sweepDrafts(reached.folder, context.call);
      const found = await readEntry(reached, to, filesContext.maxBytes);
      if (found.kind === "absent") return { kind: "absent" };
      if (found.kind !== "file" || found.mark !== sha256) return { kind: "unsure" };
      await syncFolder(reached.folder);
      return {
        kind: "present",
        output: { bytes: found.bytes, sha256, ...assumeFoldersMade(input.createFolders) },
      };
    });
  });
}

async function requireSource(
  filesContext: FilesContext,
  { from }: MovePaths,
  { folder, missing }: ReachedFolder,
): Promise<ExistingFile> {
  const found =
    missing.length > 0
      ? absentFile
      : await readFileAtPath(folder, from.name, from.path, filesContext.maxBytes);
  if (found.kind === "absent") throw notFoundFault(from.path);
  return found;
}
