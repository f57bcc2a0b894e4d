import type { ExecutionContext } from "@paraph/core";
import { approvedBasis, demandBasis } from "./basis.ts";
import { bytesOf, contentOf, sha256Of } from "./content.ts";
import { discardDraft, placeDraft, sweepDrafts, writeDraft } from "./draft.ts";
import { demandFolders, folderGone, madeFor } from "./folders.ts";
import type { Found } from "./look.ts";
import { placeOf } from "./path.ts";
import { inFolder, type Reached } from "./rooted.ts";
import { notStopped, type Setting } from "./setting.ts";
import type { WriteInput, WriteOutput } from "./write.ts";
import { lookForWrite } from "./write-preview.ts";

/** Looks, prepares the whole file beside its place, looks again, and puts it there in one step of the file system. */
export async function applyWrite(
  setting: Setting,
  input: WriteInput,
  world: ExecutionContext,
): Promise<WriteOutput> {
  const place = placeOf(input.path);
  const content = bytesOf(input, setting.maxBytes);
  const basis = approvedBasis(world.basis);
  const lookAgain = async (reached: Reached): Promise<Found> => {
    demandFolders(reached, place, input.createFolders);
    const found = await lookForWrite(reached, place, setting.maxBytes, input);
    demandBasis(basis, found, place.path);
    return found;
  };

  notStopped(world);
  // Before folders are made: a write that is refused leaves none behind.
  const [found, made] = await inFolder(setting.root, place.folders, async (reached) => {
    return [await lookAgain(reached), madeFor(reached, input.createFolders, world)];
  });
  if (found.kind === "file" && found.sha256 === sha256Of(content)) return outputOf(content, found, made);
  const act = async (reached: Reached): Promise<void> => {
    // Somebody took a folder away since the first look: the one we hold is not the file's, but one above it.
    if (reached.missing.length > 0) throw folderGone(place);
    await sweepDrafts(reached.folder, world.call);
    const draft = await writeDraft(reached.folder, world, content, found);
    try {
      // For a new file the step itself is the condition. For a replacement POSIX has no such step: between this look
      // and the rename another program can still slip in. Other calls cannot: they wait for the lock.
      await lookAgain(reached);
      notStopped(world);
      await placeDraft(reached.folder, draft, place, found);
    } catch (error) {
      await discardDraft(reached.folder, draft);
      throw error;
    }
  };
  await inFolder(setting.root, place.folders, act, input.createFolders);
  return outputOf(content, found, made);
}

/** Past this size the old content is not kept: a receipt is no backup. */
export const mostKept = 256 * 1024;

function outputOf(content: Buffer, replaced: Found, made: Pick<WriteOutput, "foldersMade">): WriteOutput {
  const sha256 = sha256Of(content);
  const output = { bytes: content.length, sha256, created: replaced.kind === "absent", ...made };
  if (replaced.kind === "absent" || replaced.sha256 === sha256 || replaced.content.length > mostKept)
    return output;
  return { ...output, previous: contentOf(replaced.content) };
}
