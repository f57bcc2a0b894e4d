import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { isParaphFolder } from "../../paraph-folder.ts";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { type FilesContext, filePathInput } from "../context.ts";
import { isDraft } from "../drafts/draft-name.ts";
import { notFoundFault, withFileFaults } from "../file-fault.ts";
import { type OpenFolder, resolveInFolder, withOpenFolder } from "../paths/open-folder.ts";
import { parsePathNames } from "../paths/path.ts";

export const maxListEntries = 1000;

export function createListFilesCapability(filesContext: FilesContext): Capability {
  return defineCapability({
    name: `${filesContext.name}.list`,
    version: 1,
    summary: "List a folder",
    effect: "read",
    idempotency: "natural",
    input: z.strictObject({ path: filePathInput.default("") }),
    output: z.object({
      entries: z.array(
        z.object({
          name: z.string(),
          kind: z.enum(["file", "folder", "link", "other"]),
          bytes: z.int().optional(),
        }),
      ),
      truncated: z.boolean().describe(`the folder holds more than ${maxListEntries} entries`),
    }),
    apply: (input, context) =>
      withFileFaults(input.path, async () => {
        throwIfStopped(context);
        return listFolder(filesContext, input.path);
      }),
  });
}

async function listFolder(filesContext: FilesContext, path: string) {
  const names = parsePathNames(path);
  return withOpenFolder(filesContext.root, names, async ({ folder, missing }) => {
    if (missing.length > 0) throw notFoundFault(names.join("/"));
    const all = await readdir(await resolveInFolder(folder, "."), { withFileTypes: true });
    const shown = all
      .filter((entry) => !isDraft(entry.name) && !isParaphFolder(entry.name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const entries = [];
    for (const entry of shown.slice(0, maxListEntries)) entries.push(await toListEntry(folder, entry));
    return { entries, truncated: shown.length > maxListEntries };
  });
}

async function toListEntry(folder: OpenFolder, entry: Dirent) {
  const { name } = entry;
  if (entry.isDirectory()) return { name, kind: "folder" as const };
  if (entry.isSymbolicLink()) return { name, kind: "link" as const };
  if (!entry.isFile()) return { name, kind: "other" as const };
  // The entry has no size if the file was removed after the listing or if its name is not valid Unicode.
  const bytes = await lstat(await resolveInFolder(folder, name)).then(
    (stat) => stat.size,
    () => undefined,
  );
  return { name, kind: "file" as const, ...(bytes !== undefined && { bytes }) };
}
