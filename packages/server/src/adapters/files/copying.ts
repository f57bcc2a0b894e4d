import type { ExecutionContext, Preview, Probe } from "@paraph/core";
import { basisMoved } from "./basis.ts";
import type { CopyInput, CopyOutput } from "./copy.ts";
import { discardDraft, placeDraft, sweepDrafts, writeDraft } from "./draft.ts";
import { demandFree, entryAt } from "./entry.ts";
import { approvedSource, nothingThere } from "./fact.ts";
import { notFound } from "./file-fault.ts";
import { demandFolders, folderGone, madeFor, madeUnseen, newFolders } from "./folders.ts";
import { absent, type FoundFile, look } from "./look.ts";
import { inBoth, type Places, placesOf } from "./move-preview.ts";
import { probing } from "./probing.ts";
import { inFolder, type Reached, sync } from "./rooted.ts";
import { notStopped, type Setting } from "./setting.ts";
import { shown, size } from "./words.ts";

/** [P3] Opens for reading only. */
export async function previewCopy(setting: Setting, input: CopyInput): Promise<Preview> {
  const places = placesOf(input);
  return inBoth(setting, places, async (source, target) => {
    const found = await sourceOf(setting, places, source);
    demandFolders(target, places.to, input.createFolders);
    await demandFree(target, places.to);
    const [bytes, sha256] = [found.content.length, found.sha256];
    return {
      changes: [
        ...newFolders(target, places.to),
        {
          kind: "create",
          target: places.to.path,
          summary: `New file, ${size(bytes)}: a copy of ${shown(places.from.path)}`,
          details: { from: places.from.path, bytes, sha256 },
        },
      ],
      basis: { from: { kind: "file", mark: sha256 }, to: nothingThere },
    };
  });
}

/** Writes the whole copy beside its place, then gives it its name in one step, which fails if that is taken. */
export async function applyCopy(
  setting: Setting,
  input: CopyInput,
  world: ExecutionContext,
): Promise<CopyOutput> {
  const places = placesOf(input);
  const basis = approvedSource(world.basis);
  notStopped(world);
  // Before folders are made: a copy that is refused leaves none behind.
  const [found, made] = await inBoth(setting, places, async (source, target) => {
    const from = await sourceOf(setting, places, source);
    if (from.sha256 !== basis.mark) throw basisMoved(places.from.path);
    demandFolders(target, places.to, input.createFolders);
    await demandFree(target, places.to);
    return [from, madeFor(target, input.createFolders, world)] as const;
  });
  const act = async ({ folder, missing }: Reached): Promise<void> => {
    if (missing.length > 0) throw folderGone(places.to);
    await sweepDrafts(folder, world.call);
    // The mode of the original, as far as the server's umask lets it, and never its set-id bits.
    const draft = await writeDraft(folder, world, found.content, absent, found.stat.mode & 0o777);
    try {
      notStopped(world);
      await placeDraft(folder, draft, places.to, absent);
    } catch (error) {
      await discardDraft(folder, draft);
      throw error;
    }
  };
  await inFolder(setting.root, places.to.folders, act, input.createFolders);
  return { bytes: found.content.length, sha256: found.sha256, ...made };
}

/** [P7] An attempt ended unseen: is the copy there? */
export async function probeCopy(setting: Setting, input: CopyInput, world: ExecutionContext): Promise<Probe> {
  return probing(input.to, async () => {
    const { to } = placesOf(input);
    const basis = approvedSource(world.basis);
    if (basis.mark === null) return { kind: "unsure" };
    const sha256 = basis.mark;
    return inFolder(setting.root, to.folders, async (reached) => {
      // First, so that an attempt which is frozen and not dead cannot put its draft in place after we said it did not.
      if (reached.missing.length === 0) await sweepDrafts(reached.folder, world.call);
      const found = await entryAt(reached, to, setting.maxBytes);
      if (found.kind === "absent") return { kind: "absent" };
      if (found.kind !== "file" || found.mark !== sha256) return { kind: "unsure" };
      await sync(reached.folder);
      return { kind: "present", output: { bytes: found.bytes, sha256, ...madeUnseen(input.createFolders) } };
    });
  });
}

async function sourceOf(
  setting: Setting,
  { from }: Places,
  { folder, missing }: Reached,
): Promise<FoundFile> {
  const found = missing.length > 0 ? absent : await look(folder, from.name, from.path, setting.maxBytes);
  if (found.kind === "absent") throw notFound(from.path);
  return found;
}
