export { createTestContext, parseTestInput, performCapability, readFault } from "../testing.ts";

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Capability } from "@paraph/core";
import { createCopyFileCapability } from "./capabilities/copy.ts";
import { createDeleteFileCapability } from "./capabilities/delete.ts";
import { createListFilesCapability } from "./capabilities/list.ts";
import { createMakeFolderCapability } from "./capabilities/mkdir.ts";
import { createMoveFileCapability } from "./capabilities/move.ts";
import { createReadFileCapability } from "./capabilities/read.ts";
import { createWriteFileCapability } from "./capabilities/write.ts";
import { openRoot } from "./paths/root.ts";

/** A real root folder, and a folder next to it. No call may change the folder next to the root. */
export interface FilesFixture extends AsyncDisposable {
  readonly root: string;
  readonly outside: string;
  readonly read: Capability;
  readonly list: Capability;
  readonly write: Capability;
  readonly move: Capability;
  readonly delete: Capability;
  readonly copy: Capability;
  readonly mkdir: Capability;
}

export async function createFilesFixture(
  options: { raceFree?: boolean; maxBytes?: number } = {},
): Promise<FilesFixture> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "paraph-files-")));
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  await Promise.all([mkdir(root), mkdir(outside)]);
  const setting = {
    name: "files",
    root: openRoot("files", root, options.raceFree),
    maxBytes: options.maxBytes ?? 1024 * 1024,
  };
  return {
    root,
    outside,
    read: createReadFileCapability(setting),
    list: createListFilesCapability(setting),
    write: createWriteFileCapability(setting),
    move: createMoveFileCapability(setting),
    delete: createDeleteFileCapability(setting),
    copy: createCopyFileCapability(setting),
    mkdir: createMakeFolderCapability(setting),
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}

/**
 * The values of `raceFree` to test. On Linux the adapter supports both modes, and on other platforms only the weaker
 * one.
 */
export const raceFreeModes = process.platform === "linux" ? [true, false] : [false];

export function makeFifo(path: string): void {
  const maker = "mkfifo";
  execFileSync(maker, [path]);
}

/** Returns everything in a folder as one string: names, kinds, modes, content and, by default, times. */
export async function snapshotFolder(folder: string, times = true): Promise<string> {
  const lines: string[] = [];
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const stat = await lstat(join(folder, name));
    const content = stat.isFile()
      ? createHash("sha256")
          .update(await readFile(join(folder, name)))
          .digest("hex")
      : stat.isSymbolicLink()
        ? await readlink(join(folder, name))
        : "";
    lines.push(JSON.stringify([name, stat.mode, times ? stat.mtimeMs : 0, content]));
  }
  return lines.join("\n");
}
