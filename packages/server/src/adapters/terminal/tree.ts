import type { BigIntStats } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { CapabilityError } from "@paraph/core";
import { isOwnFolder } from "../own-folder.ts";
import { type Entry, pathShown, type Tree, treeFrom } from "./entry.ts";
import { sha256Of } from "./hashes.ts";
import { type HeldFolder, holdFile, holdFolder } from "./held-folder.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Setting } from "./setting.ts";

/** Everything in the workspace as it is now. With a store, what its files hold is kept there on the way. */
export async function treeOf(setting: Setting, keep?: ObjectStore): Promise<Tree> {
  try {
    return treeFrom(await everythingIn(setting, keep));
  } catch (error) {
    if (error instanceof CapabilityError) throw error;
    throw hasCode(error, "ENOENT", "ENOTDIR", "ELOOP") ? busy : unreadable;
  }
}

async function everythingIn(setting: Setting, keep?: ObjectStore): Promise<Entry[]> {
  const entries: Entry[] = [];
  let bytes = 0;

  const walk = async (folder: HeldFolder, prefix: string, depth: number): Promise<void> => {
    if (depth > deepest) throw tooLarge(`its folders are more than ${deepest} deep`);
    const names = await readdir(folder.at("."), { encoding: "latin1" });
    const inner: string[] = [];
    for (let start = 0; start < names.length; start += atOnce) {
      const looked = names.slice(start, start + atOnce).map((name) => look(folder, name, prefix + name));
      // All of them, also where one fails: none may still be looking through a folder that is let go of.
      await Promise.allSettled(looked);
      for (const each of await Promise.all(looked)) {
        if (each === undefined) continue;
        if (entries.push(each) > setting.bounds.entries)
          throw tooLarge(`it holds more than ${setting.bounds.entries} files and folders (\`maxEntries\`)`);
        if (each.kind === "folder") inner.push(each.path);
      }
    }
    for (const path of inner) {
      await using next = await holdFolder(folder.at(path.slice(prefix.length)));
      await walk(next, `${path}/`, depth + 1);
    }
  };

  const look = async (folder: HeldFolder, name: string, path: string): Promise<Entry | undefined> => {
    if (isOwnFolder(pathShown(name))) throw ownFolder;
    try {
      const stat = await lstat(folder.at(name), { bigint: true });
      const mode = Number(stat.mode) & 0o7777;
      if (stat.isSymbolicLink())
        return { kind: "link", path, target: await readlink(folder.at(name), { encoding: "latin1" }) };
      if (stat.isDirectory())
        return (await mayEnter(folder, name)) ? { kind: "folder", path, mode } : special(path, stat);
      if (!stat.isFile()) return special(path, stat);
      bytes += Number(stat.size);
      if (bytes > setting.bounds.bytes)
        throw tooLarge(`it holds more than ${setting.bounds.bytes / 1024 / 1024} MiB (\`maxMb\`)`);
      const sha256 = await contentOf(folder, name, stat);
      return sha256 === undefined
        ? special(path, stat)
        : { kind: "file", path, mode, bytes: Number(stat.size), sha256 };
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  };

  /** Undefined where it cannot be read, or is no file any more. */
  const contentOf = async (
    folder: HeldFolder,
    name: string,
    looked: BigIntStats,
  ): Promise<string | undefined> => {
    const known = setting.hashes.recall(looked);
    if (known !== undefined && (keep === undefined || (await keep.has(known)))) return known;
    try {
      await using file = await holdFile(folder, name);
      const stat = await file.stat({ bigint: true });
      if (!stat.isFile()) return undefined;
      const sha256 = keep === undefined ? await sha256Of(file) : await keep.take(file);
      setting.hashes.remember(stat, sha256);
      return sha256;
    } catch (error) {
      if (hasCode(error, "EACCES", "ELOOP", "ENXIO")) return undefined;
      throw error;
    }
  };

  await using root = await holdFolder(setting.workspace);
  await walk(root, "", 1);
  return entries;
}

const deepest = 100;
/** At once, so that the system is asked about one while another is waited for. */
const atOnce = 32;

async function mayEnter(folder: HeldFolder, name: string): Promise<boolean> {
  try {
    await using _inner = await holdFolder(folder.at(name));
    return true;
  } catch (error) {
    if (hasCode(error, "EACCES", "ENOTDIR", "ELOOP")) return false;
    throw error;
  }
}

function special(path: string, { mode, size, mtimeNs }: BigIntStats): Entry {
  return { kind: "special", path, looks: `${mode.toString(8)} ${size} ${mtimeNs}` };
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as { code?: string } | undefined)?.code ?? "");
}

function tooLarge(reason: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "workspace-too-large",
    `The workspace cannot be looked at as a whole: ${reason}. Make room in it, or raise that limit.`,
  );
}

const busy = new CapabilityError(
  "not-performed",
  "workspace-busy",
  "The workspace is not there, or somebody is moving folders in it right now. It is tried again.",
);

const unreadable = new CapabilityError(
  "permanent",
  "workspace-unreadable",
  "The workspace cannot be read: see who owns what is in it, and whether its disk is well.",
);

const ownFolder = new CapabilityError(
  "permanent",
  "workspace-refused",
  "A folder `.paraph` is in the workspace, where Paraph keeps its keys: move it out.",
);
