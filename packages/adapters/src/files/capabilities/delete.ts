import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { type FilesContext, filePathInput } from "../context.ts";
import { encodings } from "../entries/content.ts";
import { withFileFaults } from "../file-fault.ts";
import { emptyFolders } from "../paths/parent-folders.ts";
import { listFileLocks } from "../paths/path.ts";
import { applyDelete } from "./delete-apply.ts";
import { previewDelete } from "./delete-preview.ts";
import { probeDelete } from "./delete-probe.ts";

export function createDeleteFileCapability(filesContext: FilesContext): Capability {
  return defineCapability({
    name: `${filesContext.name}.delete`,
    version: 1,
    summary: "Delete a file or a folder",
    effect: "destroy",
    idempotency: "probe",
    input: deleteInput,
    output: deleteOutput,
    locks: (input) => listFileLocks(filesContext.name, input.path),
    preview: (input, context) =>
      withFileFaults(input.path, async () => {
        throwIfStopped(context);
        return previewDelete(filesContext, input);
      }),
    apply: (input, context) => withFileFaults(input.path, () => applyDelete(filesContext, input, context)),
    probe: (input, context) => probeDelete(filesContext, input, context),
    undo: (input, output) =>
      output.previous && {
        capability: `${filesContext.name}.write`,
        input: {
          path: input.path,
          ...output.previous,
          replaces: null,
          ...(input.emptyFolders > 0 && { createFolders: true }),
        },
      },
  });
}

export type DeleteInput = z.output<typeof deleteInput>;
export type DeleteOutput = z.output<typeof deleteOutput>;

const deleteInput = z.strictObject({
  path: filePathInput,
  recursive: z.boolean().default(false).describe("delete a folder with everything in it"),
  sha256: z
    .string()
    .optional()
    .describe("delete the file only if its content has this SHA-256 (an undo sets it)"),
  emptyFolders,
});

const deleteOutput = z.object({
  kind: z.enum(["file", "folder"]),
  previous: z
    .object({ content: z.string(), encoding: z.enum(encodings) })
    .optional()
    .describe(
      "previous content of the file, for the undo; absent for a folder, or if the content is unknown or too large to keep",
    ),
});
