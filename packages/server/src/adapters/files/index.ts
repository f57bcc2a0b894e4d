import { resolve } from "node:path";
import { type Capability, defineAdapter, ParaphError } from "@paraph/core";
import { z } from "zod";
import { copyFiles } from "./copy.ts";
import { deleteFiles } from "./delete.ts";
import { listFiles } from "./list.ts";
import { makeFolders } from "./mkdir.ts";
import { moveFiles } from "./move.ts";
import { perceiveFiles } from "./perceive.ts";
import { readFiles } from "./read.ts";
import { rootAt } from "./root.ts";
import type { Setting } from "./setting.ts";
import { writeFiles } from "./write.ts";

export interface FilesOptions {
  /** The folder the capabilities work in and never leave. */
  readonly root: string;
  /** The adapter's name, the first part of its capabilities' names: `files` unless said. */
  readonly name?: string;
  /** The largest file read, written or copied: 1 MiB unless said. */
  readonly maxBytes?: number;
}

/** Files below a folder, which is named relative to the configuration. */
export const files = defineAdapter({
  kind: "files",
  config: z.strictObject({
    root: z.string().min(1).describe("the folder the capabilities work in and never leave"),
    maxBytes: z
      .int()
      .positive()
      .optional()
      .describe("the largest file read, written or copied: 1 MiB unless said"),
  }),
  open: ({ root, maxBytes }, { name, folder }) => {
    const setting = settingOf({
      root: resolve(folder, root),
      name,
      ...(maxBytes !== undefined && { maxBytes }),
    });
    const capabilities = capabilitiesOf(setting);
    return { capabilities: async () => capabilities, observe: perceiveFiles(setting) };
  },
});

/** Files below one folder: read, list, write, move, delete, copy and mkdir. */
export function filesBelow(options: FilesOptions): Capability[] {
  return capabilitiesOf(settingOf(options));
}

function settingOf({ root, name = "files", maxBytes = 1024 * 1024 }: FilesOptions): Setting {
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
    throw new ParaphError("capability-invalid", `\`${name}\`: \`maxBytes\` is a whole number from 1.`);
  }
  return { name, root: rootAt(name, root), maxBytes };
}

function capabilitiesOf(setting: Setting): Capability[] {
  return [
    readFiles(setting),
    listFiles(setting),
    writeFiles(setting),
    moveFiles(setting),
    deleteFiles(setting),
    copyFiles(setting),
    makeFolders(setting),
  ];
}
