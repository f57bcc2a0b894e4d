import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { createFolders, type FilesContext, filePathInput, throwIfStopped } from "../context.ts";
import { withFileFaults } from "../file-fault.ts";
import { foldersMade, toCreationUndo } from "../paths/parent-folders.ts";
import { listFileLocks } from "../paths/path.ts";
import { applyCopy, previewCopy, probeCopy } from "./copy-steps.ts";

/**
 * Creates the copy capability. It copies only files, because a probe cannot tell a half-copied folder from one that
 * another program is filling.
 */
export function createCopyFileCapability(setting: FilesContext): Capability {
  return defineCapability({
    name: `${setting.name}.copy`,
    version: 1,
    summary: "Copy a file",
    effect: "write",
    idempotency: "probe",
    input: copyInput,
    output: copyOutput,
    locks: ({ from, to }) => [from, to].flatMap((path) => listFileLocks(setting.name, path)),
    preview: (input, world) =>
      withFileFaults(input.from, async () => {
        throwIfStopped(world);
        return previewCopy(setting, input);
      }),
    apply: (input, world) => withFileFaults(input.from, () => applyCopy(setting, input, world)),
    probe: (input, world) => probeCopy(setting, input, world),
    undo: (input, output) => toCreationUndo(setting, input.to, output),
  });
}

export type CopyInput = z.output<typeof copyInput>;
export type CopyOutput = z.output<typeof copyOutput>;

const copyInput = z.strictObject({ from: filePathInput, to: filePathInput, createFolders });

const copyOutput = z.object({ bytes: z.int(), sha256: z.string(), foldersMade });
