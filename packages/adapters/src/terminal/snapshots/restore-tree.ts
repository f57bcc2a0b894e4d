import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, rename, rm, rmdir, symlink, unlink } from "node:fs/promises";
import { CapabilityError } from "@paraph/core";
import type { WorkspaceEntry } from "../workspace/entry.ts";
import { type FolderHandle, openFile, openParent } from "../workspace/folder-handle.ts";
import type { PathChange } from "../workspace/path-changes.ts";
import type { ObjectStore } from "./object-store.ts";

/**
 * Restores every changed path. It first removes entries that are new or whose kind has changed, and removes inner
 * entries before outer ones.
 */
export async function restoreTree(
  root: string,
  changes: readonly PathChange[],
  objects: ObjectStore,
): Promise<void> {
  const inTheWay = changes.filter(({ before, after }) => after && before?.kind !== after.kind);
  for (const { path, after } of inTheWay.toReversed())
    await withParent(root, path, (...place) => removeEntry(after!, ...place));
  for (const { path, before, after } of changes) {
    if (before === undefined) continue;
    await withParent(root, path, (...place) =>
      restoreEntry(before, after?.kind === before.kind, objects, ...place),
    );
  }
  // Sets the modes of folders last, because Paraph cannot create files in a read-only folder.
  for (const { path, before } of changes.toReversed()) {
    if (before?.kind === "folder")
      await withParent(root, path, (folder, name) => chmodAt(folder, name, before.mode));
  }
}

/** Rejects changes that cannot be restored. Call it before the first path is restored. */
export function requireRestorable(changes: readonly PathChange[]): void {
  if (changes.some(({ before }) => before?.kind === "special")) throw notRestorableFault;
}

const notRestorableFault = new CapabilityError(
  "permanent",
  "not-restorable",
  "Paraph can't restore a pipe, a socket or an unreadable file, so it restored nothing. Restore the files from version control, or edit them yourself.",
);

async function withParent(
  root: string,
  path: string,
  body: (folder: FolderHandle, name: string) => Promise<void>,
): Promise<void> {
  const { folder, name } = await openParent(root, path);
  await using _held = folder;
  await body(folder, name);
}

async function removeEntry({ kind }: WorkspaceEntry, folder: FolderHandle, name: string): Promise<void> {
  await (kind === "folder" ? rmdir(folder.toPath(name)) : unlink(folder.toPath(name)));
}

async function restoreEntry(
  was: WorkspaceEntry,
  there: boolean,
  objects: ObjectStore,
  folder: FolderHandle,
  name: string,
): Promise<void> {
  switch (was.kind) {
    case "folder":
      if (!there) await mkdir(folder.toPath(name), { mode: 0o700 });
      else await chmodAt(folder, name, 0o700);
      return;
    case "link":
      if (there) await unlink(folder.toPath(name));
      await symlink(Buffer.from(was.target, "latin1"), folder.toPath(name));
      return;
    case "file":
      return restoreFile(folder, name, objects.path(was.sha256), was.mode);
    case "special":
      throw new CapabilityError(
        "permanent",
        "not-restorable",
        "Paraph can't restore a pipe, a socket or an unreadable file.",
      );
  }
}

/** Writes a draft and renames it, so that no program ever sees half a file. */
async function restoreFile(folder: FolderHandle, name: string, source: string, mode: number): Promise<void> {
  const draft = `.restoring-${randomUUID()}`;
  try {
    await copyFile(source, folder.toPath(draft), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await chmodAt(folder, draft, mode);
    await rename(folder.toPath(draft), folder.toPath(name));
  } finally {
    await rm(folder.toPath(draft), { force: true });
  }
}

/** Sets a mode by handle, because a change by name would follow a link. */
async function chmodAt(folder: FolderHandle, name: string, mode: number): Promise<void> {
  await using held = await openFile(folder, name);
  await held.chmod(mode);
}
