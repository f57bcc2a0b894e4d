import { mkdir } from "node:fs/promises";
import {
  type Capability,
  defineCapability,
  type ExecutionContext,
  type Preview,
  type Probe,
} from "@paraph/core";
import { z } from "zod";
import { durable } from "./durable.ts";
import { demandFree, exists } from "./entry.ts";
import { approvedFact, nothingThere } from "./fact.ts";
import { fileFault, guarded, hasErrno } from "./file-fault.ts";
import {
  demandFolders,
  folderGone,
  foldersMade,
  madeFor,
  madeUnseen,
  newFolders,
  undoCreation,
} from "./folders.ts";
import { lockOf, placeOf } from "./path.ts";
import { probing } from "./probing.ts";
import { inFolder, inside, type Reached, sync, within } from "./rooted.ts";
import { notStopped, pathInput, type Setting } from "./setting.ts";

export function makeFolders(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.mkdir`,
    version: 1,
    summary: "Make a folder",
    effect: "write",
    risk: "low",
    idempotency: "probe",
    input: mkdirInput,
    output: mkdirOutput,
    locks: (input) => lockOf(setting.name, input.path),
    preview: (input, world) =>
      guarded(input.path, async () => {
        notStopped(world);
        return previewMkdir(setting, input);
      }),
    apply: (input, world) => guarded(input.path, () => applyMkdir(setting, input, world)),
    probe: (input) => probeMkdir(setting, input),
    // Without `recursive`: a folder that was filled since is refused.
    undo: (input, output) => undoCreation(setting, input.path, output),
  });
}

type MkdirInput = z.output<typeof mkdirInput>;
type MkdirOutput = z.output<typeof mkdirOutput>;

const mkdirInput = z.strictObject({
  path: pathInput,
  parents: z.boolean().default(false).describe("make the folders above it that are missing"),
});

const mkdirOutput = z.object({ foldersMade });

/** [P3] Opens for reading only. */
async function previewMkdir(setting: Setting, input: MkdirInput): Promise<Preview> {
  const place = placeOf(input.path);
  return inFolder(setting.root, place.folders, async (reached) => {
    demandFolders(reached, place, input.parents, "parents");
    await demandFree(reached, place);
    const change = { kind: "create", target: place.path, summary: "New folder" } as const;
    return { changes: [...newFolders(reached, place), change], basis: nothingThere };
  });
}

/** The step itself is the condition: it fails if the name is taken. */
async function applyMkdir(
  setting: Setting,
  input: MkdirInput,
  world: ExecutionContext,
): Promise<MkdirOutput> {
  const place = placeOf(input.path);
  approvedFact(world.basis);
  notStopped(world);
  const made = await inFolder(setting.root, place.folders, async (reached) => {
    demandFolders(reached, place, input.parents, "parents");
    await demandFree(reached, place);
    return madeFor(reached, input.parents, world);
  });
  notStopped(world);
  const act = async ({ folder, missing }: Reached) => {
    if (missing.length > 0) throw folderGone(place);
    await mkdir(await within(folder, place.name)).catch((error) => {
      throw hasErrno(error, "EEXIST") ? exists(place.path) : fileFault(error, place.path, "ambiguous");
    });
    await durable(place.path, "made", folder);
  };
  await inFolder(setting.root, place.folders, act, input.parents);
  return made;
}

/** [P7] An attempt ended unseen: is the folder there? What somebody put into it since does not matter. */
async function probeMkdir(setting: Setting, input: MkdirInput): Promise<Probe> {
  return probing(input.path, async () => {
    const place = placeOf(input.path);
    return inFolder(setting.root, place.folders, async ({ folder, missing }) => {
      if (missing.length > 0) return { kind: "absent" };
      const there = await inside(folder, place.name, async () => true);
      if (!there) return { kind: "absent" };
      await sync(folder);
      return { kind: "present", output: madeUnseen(input.parents) };
    });
  });
}
