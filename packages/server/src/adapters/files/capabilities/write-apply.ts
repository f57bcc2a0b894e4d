import type { ExecutionContext } from "@paraph/core";
import { type FilesContext, throwIfStopped } from "../context.ts";
import { discardDraft, placeDraft, sweepDrafts, writeDraft } from "../drafts/draft.ts";
import { decodeContent, encodeContent, hashBytes } from "../entries/content.ts";
import type { FileAtPath } from "../entries/read-file.ts";
import { parseWriteBasis, requireWriteBasis } from "../entries/write-basis.ts";
import { type ReachedFolder, withOpenFolder } from "../paths/open-folder.ts";
import { folderGoneFault, requireFolders, toFoldersMade } from "../paths/parent-folders.ts";
import { parseFilePath } from "../paths/path.ts";
import type { WriteInput, WriteOutput } from "./write.ts";
import { readForWrite } from "./write-preview.ts";

/** Looks, prepares the whole file beside its place, looks again, and puts it there in one step of the file system. */
export async function applyWrite(
  setting: FilesContext,
  input: WriteInput,
  world: ExecutionContext,
): Promise<WriteOutput> {
  const place = parseFilePath(input.path);
  const content = decodeContent(input, setting.maxBytes);
  const basis = parseWriteBasis(world.basis);
  const lookAgain = async (reached: ReachedFolder): Promise<FileAtPath> => {
    requireFolders(reached, place, input.createFolders);
    const found = await readForWrite(reached, place, setting.maxBytes, input);
    requireWriteBasis(basis, found, place.path);
    return found;
  };

  throwIfStopped(world);
  // Before folders are made: a write that is refused leaves none behind.
  const [found, made] = await withOpenFolder(setting.root, place.folders, async (reached) => {
    return [await lookAgain(reached), toFoldersMade(reached, input.createFolders, world)];
  });
  if (found.kind === "file" && found.sha256 === hashBytes(content))
    return toWriteOutput(content, found, made);
  const act = async (reached: ReachedFolder): Promise<void> => {
    // Somebody took a folder away since the first look: the one we hold is not the file's, but one above it.
    if (reached.missing.length > 0) throw folderGoneFault(place);
    await sweepDrafts(reached.folder, world.call);
    const draft = await writeDraft(reached.folder, world, content, found);
    try {
      // For a new file the step itself is the condition. For a replacement POSIX has no such step: between this look
      // and the rename another program can still slip in. Other calls cannot: they wait for the lock.
      await lookAgain(reached);
      throwIfStopped(world);
      await placeDraft(reached.folder, draft, place, found);
    } catch (error) {
      await discardDraft(reached.folder, draft);
      throw error;
    }
  };
  await withOpenFolder(setting.root, place.folders, act, input.createFolders);
  return toWriteOutput(content, found, made);
}

/** Past this size the old content is not kept: a receipt is no backup. */
export const maxPreviousBytes = 256 * 1024;

function toWriteOutput(
  content: Buffer,
  replaced: FileAtPath,
  made: Pick<WriteOutput, "foldersMade">,
): WriteOutput {
  const sha256 = hashBytes(content);
  const output = { bytes: content.length, sha256, created: replaced.kind === "absent", ...made };
  if (replaced.kind === "absent" || replaced.sha256 === sha256 || replaced.content.length > maxPreviousBytes)
    return output;
  return { ...output, previous: encodeContent(replaced.content) };
}
