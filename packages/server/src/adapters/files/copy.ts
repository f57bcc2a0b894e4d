import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { applyCopy, previewCopy, probeCopy } from "./copying.ts";
import { guarded } from "./file-fault.ts";
import { foldersMade, undoCreation } from "./folders.ts";
import { lockOf } from "./path.ts";
import { createFolders, notStopped, pathInput, type Setting } from "./setting.ts";

/** Files only: a folder copied halfway cannot be told from one that somebody is filling. */
export function copyFiles(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.copy`,
    version: 1,
    summary: "Copy a file",
    effect: "write",
    idempotency: "probe",
    input: copyInput,
    output: copyOutput,
    locks: ({ from, to }) => [from, to].flatMap((path) => lockOf(setting.name, path)),
    preview: (input, world) =>
      guarded(input.from, async () => {
        notStopped(world);
        return previewCopy(setting, input);
      }),
    apply: (input, world) => guarded(input.from, () => applyCopy(setting, input, world)),
    probe: (input, world) => probeCopy(setting, input, world),
    undo: (input, output) => undoCreation(setting, input.to, output),
  });
}

export type CopyInput = z.output<typeof copyInput>;
export type CopyOutput = z.output<typeof copyOutput>;

const copyInput = z.strictObject({ from: pathInput, to: pathInput, createFolders });

const copyOutput = z.object({ bytes: z.int(), sha256: z.string(), foldersMade });
