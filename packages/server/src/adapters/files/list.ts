import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { isOwnFolder } from "../own-folder.ts";
import { isDraft } from "./draft-name.ts";
import { guarded, notFound } from "./file-fault.ts";
import { namesOf } from "./path.ts";
import { type Folder, inFolder, within } from "./rooted.ts";
import { notStopped, pathInput, type Setting } from "./setting.ts";

export const mostEntries = 1000;

export function listFiles(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.list`,
    version: 1,
    summary: "List a folder",
    effect: "read",
    idempotency: "natural",
    input: z.strictObject({ path: pathInput.default("") }),
    output: z.object({
      entries: z.array(
        z.object({
          name: z.string(),
          kind: z.enum(["file", "folder", "link", "other"]),
          bytes: z.int().optional(),
        }),
      ),
      truncated: z.boolean().describe(`the folder holds more than ${mostEntries} entries`),
    }),
    apply: (input, world) =>
      guarded(input.path, async () => {
        notStopped(world);
        return listFolder(setting, input.path);
      }),
  });
}

async function listFolder(setting: Setting, path: string) {
  const names = namesOf(path);
  return inFolder(setting.root, names, async ({ folder, missing }) => {
    if (missing.length > 0) throw notFound(names.join("/"));
    const all = await readdir(await within(folder, "."), { withFileTypes: true });
    const shown = all
      .filter((entry) => !isDraft(entry.name) && !isOwnFolder(entry.name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const entries = [];
    for (const entry of shown.slice(0, mostEntries)) entries.push(await entryOf(folder, entry));
    return { entries, truncated: shown.length > mostEntries };
  });
}

async function entryOf(folder: Folder, entry: Dirent) {
  const { name } = entry;
  if (entry.isDirectory()) return { name, kind: "folder" as const };
  if (entry.isSymbolicLink()) return { name, kind: "link" as const };
  if (!entry.isFile()) return { name, kind: "other" as const };
  // It may be gone by now, or its name may be no Unicode: then its size is not known, and that is all.
  const bytes = await lstat(await within(folder, name)).then(
    (stat) => stat.size,
    () => undefined,
  );
  return { name, kind: "file" as const, ...(bytes !== undefined && { bytes }) };
}
