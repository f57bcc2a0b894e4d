import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { createFolders, type FilesContext, filePathInput } from "../context.ts";
import { withFileFaults } from "../file-fault.ts";
import { foldersMade, toCreationUndo } from "../paths/parent-folders.ts";
import { listFileLocks } from "../paths/path.ts";
import { applyCopy, previewCopy, probeCopy } from "./copy-steps.ts";

/**
 * Creates the copy capability. It copies only files. For a folder, a probe could not tell a half-finished copy from a
 * folder that another program is filling.
 */
export function createCopyFileCapability(filesContext: FilesContext): Capability {
  return defineCapability({
    name: `${filesContext.name}.copy`,
    version: 1,
    summary: "Copy a file",
    effect: "write",
    idempotency: "probe",
    input: copyInput,
    output: copyOutput,
    locks: ({ from, to }) => [from, to].flatMap((path) => listFileLocks(filesContext.name, path)),
    preview: (input, context) =>
      withFileFaults(input.from, async () => {
        throwIfStopped(context);
        return previewCopy(filesContext, input);
      }),
    apply: (input, context) => withFileFaults(input.from, () => applyCopy(filesContext, input, context)),
    probe: (input, context) => probeCopy(filesContext, input, context),
    headline: ({ from, to }) => `Copy ${from} to ${to}`,
    undo: (input, output) => toCreationUndo(filesContext, input.to, output),
  });
}

export type CopyInput = z.output<typeof copyInput>;
export type CopyOutput = z.output<typeof copyOutput>;

const copyInput = z.strictObject({ from: filePathInput, to: filePathInput, createFolders });

const copyOutput = z.object({ bytes: z.int(), sha256: z.string(), foldersMade });
