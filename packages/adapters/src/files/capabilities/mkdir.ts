import { mkdir } from "node:fs/promises";
import {
  type Capability,
  defineCapability,
  type ExecutionContext,
  type Preview,
  type Probe,
} from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { type FilesContext, filePathInput } from "../context.ts";
import { requireDurable } from "../drafts/require-durable.ts";
import { existsFault, requireFreePath } from "../entries/entry.ts";
import { absentBasis, parseEntryBasis } from "../entries/entry-basis.ts";
import { hasErrno, toFileFault, withFileFaults } from "../file-fault.ts";
import {
  type ReachedFolder,
  resolveInFolder,
  syncFolder,
  withOpenFolder,
  withSubfolder,
} from "../paths/open-folder.ts";
import {
  assumeFoldersMade,
  folderGoneFault,
  foldersMade,
  listNewFolders,
  requireFolders,
  toCreationUndo,
  toFoldersMade,
} from "../paths/parent-folders.ts";
import { listFileLocks, parseFilePath } from "../paths/path.ts";
import { runFileProbe } from "../run-probe.ts";

export function createMakeFolderCapability(filesContext: FilesContext): Capability {
  return defineCapability({
    name: `${filesContext.name}.mkdir`,
    version: 1,
    summary: "Create a folder",
    effect: "write",
    risk: "low",
    idempotency: "probe",
    input: mkdirInput,
    output: mkdirOutput,
    locks: (input) => listFileLocks(filesContext.name, input.path),
    preview: (input, context) =>
      withFileFaults(input.path, async () => {
        throwIfStopped(context);
        return previewMkdir(filesContext, input);
      }),
    apply: (input, context) => withFileFaults(input.path, () => applyMkdir(filesContext, input, context)),
    probe: (input) => probeMkdir(filesContext, input),
    headline: ({ path }) => `Create folder ${path}`,
    // The undo omits `recursive`. Paraph therefore rejects the undo if the folder has content when the undo runs.
    undo: (input, output) => toCreationUndo(filesContext, input.path, output),
  });
}

type MkdirInput = z.output<typeof mkdirInput>;
type MkdirOutput = z.output<typeof mkdirOutput>;

const mkdirInput = z.strictObject({
  path: filePathInput,
  parents: z.boolean().default(false).describe("create missing parent folders"),
});

const mkdirOutput = z.object({ foldersMade });

/** [P3] Previews a new folder. Opens folders for reading only. */
async function previewMkdir(filesContext: FilesContext, input: MkdirInput): Promise<Preview> {
  const place = parseFilePath(input.path);
  return withOpenFolder(filesContext.root, place.folders, async (reached) => {
    requireFolders(reached, place, input.parents, "parents");
    await requireFreePath(reached, place);
    const change = { kind: "create", target: place.path, summary: "New folder" } as const;
    return { changes: [...listNewFolders(reached, place), change], basis: absentBasis };
  });
}

/**
 * Creates the folder only if its name is still free. `mkdir` itself enforces this condition, because it fails if the
 * name is taken.
 */
async function applyMkdir(
  filesContext: FilesContext,
  input: MkdirInput,
  context: ExecutionContext,
): Promise<MkdirOutput> {
  const place = parseFilePath(input.path);
  parseEntryBasis(context.basis);
  throwIfStopped(context);
  const made = await withOpenFolder(filesContext.root, place.folders, async (reached) => {
    requireFolders(reached, place, input.parents, "parents");
    await requireFreePath(reached, place);
    return toFoldersMade(reached, input.parents, context);
  });
  throwIfStopped(context);
  const act = async ({ folder, missing }: ReachedFolder) => {
    if (missing.length > 0) throw folderGoneFault(place);
    await mkdir(await resolveInFolder(folder, place.name)).catch((error) => {
      throw hasErrno(error, "EEXIST") ? existsFault(place.path) : toFileFault(error, place.path, "ambiguous");
    });
    await requireDurable(place.path, "created", folder);
  };
  await withOpenFolder(filesContext.root, place.folders, act, input.parents);
  return made;
}

/**
 * [P7] Probes whether an attempt with an unknown outcome created the folder. Content that was added after the creation
 * does not matter.
 */
async function probeMkdir(filesContext: FilesContext, input: MkdirInput): Promise<Probe> {
  return runFileProbe(input.path, async () => {
    const place = parseFilePath(input.path);
    return withOpenFolder(filesContext.root, place.folders, async ({ folder, missing }) => {
      if (missing.length > 0) return { kind: "absent" };
      const there = await withSubfolder(folder, place.name, async () => true);
      if (!there) return { kind: "absent" };
      await syncFolder(folder);
      return { kind: "present", output: assumeFoldersMade(input.parents) };
    });
  });
}
