import { rmdir } from "node:fs/promises";
import { CapabilityError, type Change, type ExecutionContext, type Undo } from "@paraph/core";
import { z } from "zod";
import type { FilesContext } from "../context.ts";
import { hasErrno } from "../file-fault.ts";
import { type ReachedFolder, resolveInFolder, syncFolder, withOpenFolder } from "./open-folder.ts";
import type { FilePath } from "./path.ts";

/**
 * The schemas and functions for the parent folders of a path. A call with `createFolders` creates missing parent
 * folders, and its undo removes them with `emptyFolders`.
 */

export const foldersMade = z
  .int()
  .min(0)
  .optional()
  .describe("number of folders that the call created; absent if unknown");

export const emptyFolders = z
  .int()
  .min(0)
  .max(1024)
  .default(0)
  .describe("number of parent folders to remove too if they are then empty, innermost first");

export function requireFolders(
  reached: ReachedFolder,
  place: FilePath,
  make: boolean,
  option: "createFolders" | "parents" = "createFolders",
): void {
  if (reached.missing.length === 0 || make) return;
  const folder = place.folders.join("/");
  throw new CapabilityError(
    "permanent",
    "not-found",
    `There is no folder \`${folder}\`. Create it, or set \`${option}\` to true (on the command line: \`${option}:=true\`).`,
  );
}

/**
 * Returns the error for a folder that another program removed after the first check. In that case, the call can open
 * only a folder above the removed one.
 */
export function folderGoneFault({ path }: FilePath): CapabilityError {
  return new CapabilityError(
    "not-performed",
    "folder-gone",
    `Another program removed the folder of \`${path}\` during the call. Paraph retries the call.`,
  );
}

export function listNewFolders(reached: ReachedFolder, place: FilePath): Change[] {
  const there = place.folders.length - reached.missing.length;
  return reached.missing.map((_, index) => {
    const target = place.folders.slice(0, there + index + 1).join("/");
    return { kind: "create", target, summary: "New folder" };
  });
}

/**
 * Counts the folders that the call will create, so it must run before the call creates them. On a later attempt the
 * number is unknown, because an earlier attempt may have created some folders and crashed.
 */
export function toFoldersMade(
  reached: ReachedFolder,
  make: boolean,
  { attempt }: ExecutionContext,
): { foldersMade?: number } {
  return make && attempt > 1 ? {} : { foldersMade: reached.missing.length };
}

export function assumeFoldersMade(make: boolean): { foldersMade?: number } {
  return make ? {} : { foldersMade: 0 };
}

export function listEmptiedFolders(place: FilePath, count: number): Change[] {
  return listParents(place, count).map((names) => ({
    kind: "delete",
    target: names.join("/"),
    summary: "Folder also removed if it is empty after the call",
  }));
}

/**
 * Removes empty parent folders. It needs no check, because the system does not remove a folder with content. If a run
 * crashes, the next run removes the rest.
 */
export async function removeEmptyFolders(
  filesContext: FilesContext,
  place: FilePath,
  count: number,
): Promise<void> {
  for (const names of listParents(place, count)) {
    const name = names.at(-1)!;
    const gone = await withOpenFolder(filesContext.root, names.slice(0, -1), async ({ folder, missing }) => {
      if (missing.length > 0) return true;
      const removed = await rmdir(await resolveInFolder(folder, name)).then(
        () => true,
        (error) => hasErrno(error, "ENOENT"),
      );
      if (removed) await syncFolder(folder);
      return removed;
    });
    if (!gone) return;
  }
}

/**
 * Returns the undo of a creation. The undo deletes the new entry, but only if it is unchanged. It also deletes the
 * folders that were created for the entry.
 */
export function toCreationUndo(
  filesContext: FilesContext,
  path: string,
  made: { readonly sha256?: string | undefined; readonly foldersMade?: number | undefined },
): Undo | undefined {
  if (made.foldersMade === undefined) return undefined;
  return {
    capability: `${filesContext.name}.delete`,
    input: {
      path,
      ...(made.sha256 !== undefined && { sha256: made.sha256 }),
      ...(made.foldersMade > 0 && { emptyFolders: made.foldersMade }),
    },
  };
}

function listParents({ folders }: FilePath, count: number): string[][] {
  const max = Math.min(count, folders.length);
  return Array.from({ length: max }, (_, index) => folders.slice(0, folders.length - index));
}
