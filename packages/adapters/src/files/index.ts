import { resolve } from "node:path";
import { type Capability, defineAdapter, ParaphError } from "@paraph/core";
import { z } from "zod";
import { createCopyFileCapability } from "./capabilities/copy.ts";
import { createDeleteFileCapability } from "./capabilities/delete.ts";
import { createListFilesCapability } from "./capabilities/list.ts";
import { createMakeFolderCapability } from "./capabilities/mkdir.ts";
import { createMoveFileCapability } from "./capabilities/move.ts";
import { createReadFileCapability } from "./capabilities/read.ts";
import { createWriteFileCapability } from "./capabilities/write.ts";
import type { FilesContext } from "./context.ts";
import { createFileObserver } from "./observe/observe.ts";
import { openRoot } from "./paths/root.ts";

/** The options of the file capabilities. */
export interface FilesOptions {
  /** The folder that the capabilities work in and never leave. */
  readonly root: string;
  /** The adapter's name, which is the first part of its capabilities' names (default: `files`). */
  readonly name?: string;
  /** The maximum size of a file to read, write or copy (default: 1 MiB). */
  readonly maxBytes?: number;
}

/** The schema of the options of `files()`. */
export const filesConfig = z.strictObject({
  root: z
    .string()
    .min(1)
    .describe("the only folder that the capabilities can access, relative to the configuration"),
  maxBytes: z
    .int()
    .positive()
    .optional()
    .describe("maximum size in bytes of a file to read, write or copy (default: 1048576)"),
});

/** The adapter for the files below a folder. The folder's path is relative to the configuration. */
export const files = defineAdapter({
  kind: "files",
  config: filesConfig,
  open: ({ root, maxBytes }, { name, folder }) => {
    const filesContext = createFilesContext({
      root: resolve(folder, root),
      name,
      ...(maxBytes !== undefined && { maxBytes }),
    });
    const capabilities = listFilesCapabilities(filesContext);
    return { capabilities: async () => capabilities, observe: createFileObserver(filesContext) };
  },
});

/** Creates the capabilities for the files below one folder: read, list, write, move, delete, copy and mkdir. */
export function createFilesCapabilities(options: FilesOptions): Capability[] {
  return listFilesCapabilities(createFilesContext(options));
}

function createFilesContext({ root, name = "files", maxBytes = 1024 * 1024 }: FilesOptions): FilesContext {
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
    throw new ParaphError(
      "capability-invalid",
      `\`${name}\`: \`maxBytes\` must be a whole number of at least 1.`,
    );
  }
  return { name, root: openRoot(name, root), maxBytes };
}

function listFilesCapabilities(filesContext: FilesContext): Capability[] {
  return [
    createReadFileCapability(filesContext),
    createListFilesCapability(filesContext),
    createWriteFileCapability(filesContext),
    createMoveFileCapability(filesContext),
    createDeleteFileCapability(filesContext),
    createCopyFileCapability(filesContext),
    createMakeFolderCapability(filesContext),
  ];
}
