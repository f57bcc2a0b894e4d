import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { createFolders, type FilesContext, filePathInput } from "../context.ts";
import { encodings } from "../entries/content.ts";
import { withFileFaults } from "../file-fault.ts";
import { foldersMade, toCreationUndo } from "../paths/parent-folders.ts";
import { listFileLocks } from "../paths/path.ts";
import { applyWrite } from "./write-apply.ts";
import { previewWrite } from "./write-preview.ts";
import { probeWrite } from "./write-probe.ts";

export function createWriteFileCapability(filesContext: FilesContext): Capability {
  const name = `${filesContext.name}.write`;
  return defineCapability({
    name,
    version: 1,
    summary: "Write a file",
    effect: "write",
    idempotency: "probe",
    input: writeInput,
    output: writeOutput,
    locks: (input) => listFileLocks(filesContext.name, input.path),
    preview: (input, context) =>
      withFileFaults(input.path, async () => {
        throwIfStopped(context);
        return previewWrite(filesContext, input);
      }),
    apply: (input, context) => withFileFaults(input.path, () => applyWrite(filesContext, input, context)),
    probe: (input, context) => probeWrite(filesContext, input, context),
    // New folders come before the file in the preview.
    headline: ({ path }, preview) =>
      `${preview?.changes.at(-1)?.kind === "update" ? "Update" : "Create"} ${path}`,
    undo: (input, output) =>
      output.created
        ? toCreationUndo(filesContext, input.path, output)
        : output.previous && {
            capability: name,
            input: { path: input.path, ...output.previous, replaces: output.sha256 },
          },
  });
}

export type WriteInput = z.output<typeof writeInput>;
export type WriteOutput = z.output<typeof writeOutput>;

const encoding = z.enum(encodings);

const writeInput = z.strictObject({
  path: filePathInput,
  content: z.string(),
  encoding: encoding.default("utf8"),
  createFolders,
  replaces: z
    .string()
    .nullable()
    .optional()
    .describe(
      "write only if the file has this SHA-256 or, with null, only if no file exists (an undo sets it)",
    ),
});

const writeOutput = z.object({
  bytes: z.int(),
  sha256: z.string(),
  created: z.boolean(),
  foldersMade,
  previous: z
    .object({ content: z.string(), encoding })
    .optional()
    .describe("previous content of the file, for the undo; absent if it is unknown or too large to keep"),
});
