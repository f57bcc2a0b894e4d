import type { ExecutionContext } from "@paraph/core";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import type { FilesContext } from "../context.ts";
import { discardDraft, placeDraft, sweepDrafts, writeDraft } from "../drafts/draft.ts";
import { decodeContent, encodeContent, hashBytes } from "../entries/content.ts";
import type { FileAtPath } from "../entries/read-file.ts";
import { parseWriteBasis, requireWriteBasis } from "../entries/write-basis.ts";
import { type ReachedFolder, withOpenFolder } from "../paths/open-folder.ts";
import { folderGoneFault, requireFolders, toFoldersMade } from "../paths/parent-folders.ts";
import { parseFilePath } from "../paths/path.ts";
import type { WriteInput, WriteOutput } from "./write.ts";
import { readForWrite } from "./write-preview.ts";

/**
 * Checks the basis and writes the whole file to a draft. Then checks the basis again and moves the draft into place
 * with one file system operation.
 */
export async function applyWrite(
  filesContext: FilesContext,
  input: WriteInput,
  context: ExecutionContext,
): Promise<WriteOutput> {
  const place = parseFilePath(input.path);
  const content = decodeContent(input, filesContext.maxBytes);
  const basis = parseWriteBasis(context.basis);
  const lookAgain = async (reached: ReachedFolder): Promise<FileAtPath> => {
    requireFolders(reached, place, input.createFolders);
    const found = await readForWrite(reached, place, filesContext.maxBytes, input);
    requireWriteBasis(basis, found, place.path);
    return found;
  };

  throwIfStopped(context);
  // Checks the basis before the call creates folders, so that a rejected write leaves no new folders behind.
  const [found, made] = await withOpenFolder(filesContext.root, place.folders, async (reached) => {
    return [await lookAgain(reached), toFoldersMade(reached, input.createFolders, context)];
  });
  if (found.kind === "file" && found.sha256 === hashBytes(content))
    return toWriteOutput(content, found, made);
  const act = async (reached: ReachedFolder): Promise<void> => {
    // Another program removed a folder after the first check, so the open folder is above the file's own folder.
    if (reached.missing.length > 0) throw folderGoneFault(place);
    await sweepDrafts(reached.folder, context.call);
    const draft = await writeDraft(reached.folder, context, content, found);
    try {
      // For a new file, the link below fails if another program has created the file. For a replacement, POSIX has no
      // operation that fails if the file has changed. Another program can therefore still change the file between this
      // check and the rename. Other calls of Paraph cannot change it, because they wait for the lock.
      await lookAgain(reached);
      throwIfStopped(context);
      await placeDraft(reached.folder, draft, place, found);
    } catch (error) {
      await discardDraft(reached.folder, draft);
      throw error;
    }
  };
  await withOpenFolder(filesContext.root, place.folders, act, input.createFolders);
  return toWriteOutput(content, found, made);
}

/** The maximum size of the old content that a receipt keeps. A receipt is not a backup. */
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
