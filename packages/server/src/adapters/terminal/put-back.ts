import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, rename, rm, rmdir, symlink, unlink } from "node:fs/promises";
import { CapabilityError } from "@paraph/core";
import type { Changed } from "./changes.ts";
import type { Entry } from "./entry.ts";
import { type HeldFolder, holdFile, holdParent } from "./held-folder.ts";
import type { ObjectStore } from "./object-store.ts";

/** Makes every changed path again what it was: what is in the way goes first, from the inside out. */
export async function putBack(
  root: string,
  changes: readonly Changed[],
  objects: ObjectStore,
): Promise<void> {
  const inTheWay = changes.filter(({ before, after }) => after && before?.kind !== after.kind);
  for (const { path, after } of inTheWay.toReversed())
    await within(root, path, (...place) => remove(after!, ...place));
  for (const { path, before, after } of changes) {
    if (before === undefined) continue;
    await within(root, path, (...place) => make(before, after?.kind === before.kind, objects, ...place));
  }
  // Last: a folder that may not be written to could not be filled.
  for (const { path, before } of changes.toReversed()) {
    if (before?.kind === "folder")
      await within(root, path, (folder, name) => chmodAt(folder, name, before.mode));
  }
}

/** To be asked before the first of them is put back. */
export function demandRestorable(changes: readonly Changed[]): void {
  if (changes.some(({ before }) => before?.kind === "special")) throw notRestorable;
}

const notRestorable = new CapabilityError(
  "permanent",
  "not-restorable",
  "A pipe, a socket or a file that may not be read was there before: put the workspace right by hand.",
);

async function within(
  root: string,
  path: string,
  body: (folder: HeldFolder, name: string) => Promise<void>,
): Promise<void> {
  const { folder, name } = await holdParent(root, path);
  await using _held = folder;
  await body(folder, name);
}

async function remove({ kind }: Entry, folder: HeldFolder, name: string): Promise<void> {
  await (kind === "folder" ? rmdir(folder.at(name)) : unlink(folder.at(name)));
}

async function make(
  was: Entry,
  there: boolean,
  objects: ObjectStore,
  folder: HeldFolder,
  name: string,
): Promise<void> {
  switch (was.kind) {
    case "folder":
      if (!there) await mkdir(folder.at(name), { mode: 0o700 });
      else await chmodAt(folder, name, 0o700);
      return;
    case "link":
      if (there) await unlink(folder.at(name));
      await symlink(Buffer.from(was.target, "latin1"), folder.at(name));
      return;
    case "file":
      return place(folder, name, objects.path(was.sha256), was.mode);
    case "special":
      throw new CapabilityError(
        "permanent",
        "not-restorable",
        "A pipe, a socket or an unreadable file was there before.",
      );
  }
}

/** Beside it and then in its place: at no moment is there half a file. */
async function place(folder: HeldFolder, name: string, source: string, mode: number): Promise<void> {
  const draft = `.restoring-${randomUUID()}`;
  try {
    await copyFile(source, folder.at(draft), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await chmodAt(folder, draft, mode);
    await rename(folder.at(draft), folder.at(name));
  } finally {
    await rm(folder.at(draft), { force: true });
  }
}

/** By handle, since a mode set by name would go through a link. */
async function chmodAt(folder: HeldFolder, name: string, mode: number): Promise<void> {
  await using held = await holdFile(folder, name);
  await held.chmod(mode);
}
