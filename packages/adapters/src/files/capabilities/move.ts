import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { createFolders, type FilesContext, filePathInput } from "../context.ts";
import { withFileFaults } from "../file-fault.ts";
import { emptyFolders, foldersMade } from "../paths/parent-folders.ts";
import { listFileLocks } from "../paths/path.ts";
import { applyMove } from "./move-apply.ts";
import { previewMove } from "./move-preview.ts";
import { probeMove } from "./move-probe.ts";

export function createMoveFileCapability(filesContext: FilesContext): Capability {
  const name = `${filesContext.name}.move`;
  return defineCapability({
    name,
    version: 1,
    summary: "Move or rename a file or a folder",
    effect: "write",
    idempotency: "probe",
    input: moveInput,
    output: moveOutput,
    locks: ({ from, to }) => [from, to].flatMap((path) => listFileLocks(filesContext.name, path)),
    preview: (input, context) =>
      withFileFaults(input.from, async () => {
        throwIfStopped(context);
        return previewMove(filesContext, input);
      }),
    apply: (input, context) => withFileFaults(input.from, () => applyMove(filesContext, input, context)),
    probe: (input, context) => probeMove(filesContext, input, context),
    headline: ({ from, to }) => `Move ${from} to ${to}`,
    undo: ({ from, to, ...input }, output) => {
      if (output.foldersMade === undefined) return undefined;
      const back = {
        ...(input.emptyFolders > 0 && { createFolders: true }),
        ...(output.foldersMade > 0 && { emptyFolders: output.foldersMade }),
      };
      return { capability: name, input: { from: to, to: from, ...back } };
    },
  });
}

export type MoveInput = z.output<typeof moveInput>;
export type MoveOutput = z.output<typeof moveOutput>;

const moveInput = z.strictObject({ from: filePathInput, to: filePathInput, createFolders, emptyFolders });

const moveOutput = z.object({ kind: z.enum(["file", "folder"]), foldersMade });
