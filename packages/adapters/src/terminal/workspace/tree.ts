import type { BigIntStats } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { CapabilityError } from "@paraph/core";
import { isParaphFolder } from "../../paraph-folder.ts";
import type { TerminalContext } from "../context.ts";
import type { ObjectStore } from "../snapshots/object-store.ts";
import { createTree, decodePath, type WorkspaceEntry, type WorkspaceTree } from "./entry.ts";
import { type FolderHandle, openFile, openFolder } from "./folder-handle.ts";
import { hashFile } from "./hash-cache.ts";

/** Reads all entries of the workspace. With a store, it also stores the content of the files. */
export async function readWorkspaceTree(
  terminalContext: TerminalContext,
  keep?: ObjectStore,
): Promise<WorkspaceTree> {
  try {
    return createTree(await listEntries(terminalContext, keep));
  } catch (error) {
    if (error instanceof CapabilityError) throw error;
    throw hasCode(error, "ENOENT", "ENOTDIR", "ELOOP") ? busyFault : unreadableFault;
  }
}

async function listEntries(terminalContext: TerminalContext, keep?: ObjectStore): Promise<WorkspaceEntry[]> {
  const entries: WorkspaceEntry[] = [];
  let bytes = 0;

  const walk = async (folder: FolderHandle, prefix: string, depth: number): Promise<void> => {
    if (depth > maxDepth)
      throw workspaceTooLargeFault(`its folders are nested more than ${maxDepth} levels deep`);
    const names = await readdir(folder.toPath("."), { encoding: "latin1" });
    const inner: string[] = [];
    for (let start = 0; start < names.length; start += batchSize) {
      const looked = names.slice(start, start + batchSize).map((name) => look(folder, name, prefix + name));
      // The code waits for all reads even if one fails, because no read may use a folder that is already closed.
      await Promise.allSettled(looked);
      for (const each of await Promise.all(looked)) {
        if (each === undefined) continue;
        if (entries.push(each) > terminalContext.workspaceLimits.entries)
          throw workspaceTooLargeFault(
            `it holds more than ${terminalContext.workspaceLimits.entries} files and folders (\`maxEntries\`)`,
          );
        if (each.kind === "folder") inner.push(each.path);
      }
    }
    for (const path of inner) {
      await using next = await openFolder(folder.toPath(path.slice(prefix.length)));
      await walk(next, `${path}/`, depth + 1);
    }
  };

  const look = async (
    folder: FolderHandle,
    name: string,
    path: string,
  ): Promise<WorkspaceEntry | undefined> => {
    if (isParaphFolder(decodePath(name))) throw paraphFolderFault;
    try {
      const stat = await lstat(folder.toPath(name), { bigint: true });
      const mode = Number(stat.mode) & 0o7777;
      if (stat.isSymbolicLink())
        return { kind: "link", path, target: await readlink(folder.toPath(name), { encoding: "latin1" }) };
      if (stat.isDirectory())
        return (await canEnter(folder, name)) ? { kind: "folder", path, mode } : toSpecialEntry(path, stat);
      if (!stat.isFile()) return toSpecialEntry(path, stat);
      bytes += Number(stat.size);
      if (bytes > terminalContext.workspaceLimits.bytes)
        throw workspaceTooLargeFault(
          `it holds more than ${terminalContext.workspaceLimits.bytes / 1024 / 1024} MiB (\`maxMb\`)`,
        );
      const sha256 = await contentOf(folder, name, stat);
      return sha256 === undefined
        ? toSpecialEntry(path, stat)
        : { kind: "file", path, mode, bytes: Number(stat.size), sha256 };
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  };

  /** Returns the hash of the content, or undefined if the file is unreadable or no longer a file. */
  const contentOf = async (
    folder: FolderHandle,
    name: string,
    looked: BigIntStats,
  ): Promise<string | undefined> => {
    const known = terminalContext.hashes.find(looked);
    if (known !== undefined && (keep === undefined || (await keep.has(known)))) return known;
    try {
      await using file = await openFile(folder, name);
      const stat = await file.stat({ bigint: true });
      if (!stat.isFile()) return undefined;
      const sha256 = keep === undefined ? await hashFile(file) : await keep.store(file);
      terminalContext.hashes.store(stat, sha256);
      return sha256;
    } catch (error) {
      if (hasCode(error, "EACCES", "ELOOP", "ENXIO")) return undefined;
      throw error;
    }
  };

  await using root = await openFolder(terminalContext.workspace);
  await walk(root, "", 1);
  return entries;
}

const maxDepth = 100;
/** The number of entries to read at once, so that the requests to the system overlap. */
const batchSize = 32;

async function canEnter(folder: FolderHandle, name: string): Promise<boolean> {
  try {
    await using _inner = await openFolder(folder.toPath(name));
    return true;
  } catch (error) {
    if (hasCode(error, "EACCES", "ENOTDIR", "ELOOP")) return false;
    throw error;
  }
}

function toSpecialEntry(path: string, { mode, size, mtimeNs }: BigIntStats): WorkspaceEntry {
  return { kind: "special", path, looks: `${mode.toString(8)} ${size} ${mtimeNs}` };
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as { code?: string } | undefined)?.code ?? "");
}

function workspaceTooLargeFault(reason: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "workspace-too-large",
    `The workspace is too large, because ${reason}. Remove files or folders, or raise the setting if one is named.`,
  );
}

const busyFault = new CapabilityError(
  "not-performed",
  "workspace-busy",
  "The workspace does not exist, or its folders are being moved. Paraph will retry.",
);

const unreadableFault = new CapabilityError(
  "permanent",
  "workspace-unreadable",
  "Paraph can't read the workspace. Check the permissions of its files and the health of its disk.",
);

const paraphFolderFault = new CapabilityError(
  "permanent",
  "workspace-refused",
  "The workspace contains a folder `.paraph`, in which Paraph keeps its keys. Move that folder out of the workspace, or choose another workspace.",
);
