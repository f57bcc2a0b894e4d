import { createHash } from "node:crypto";
import { lstat, readdir } from "node:fs/promises";
import { CapabilityError } from "@paraph/core";
import { isOwnFolder } from "../own-folder.ts";
import { isDraft } from "./draft-name.ts";
import { hasErrno } from "./file-fault.ts";
import type { Root } from "./root.ts";
import { type Folder, inFolder, inside, within } from "./rooted.ts";
import { stampOf } from "./tree.ts";

/** A file as it was found in passing: its content was not read. */
export interface Stocked {
  /** Changes whenever the file is written, moved or replaced. */
  readonly mark: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

export const mostStocked = 10_000;
const deepest = 64;

/**
 * Every regular file below the root, by its path. Links, devices, drafts, Paraph's own folder and other file systems are
 * passed over. A folder that may not be read is a fault: its files would look deleted.
 */
export async function stockOf(root: Root, signal: AbortSignal): Promise<ReadonlyMap<string, Stocked>> {
  const stock = new Map<string, Stocked>();

  const walk = async (folder: Folder, prefix: string, depth: number): Promise<void> => {
    signal.throwIfAborted();
    const { dev } = await folder.handle.stat({ bigint: true });
    for (const name of (await readdir(await within(folder, "."))).sort()) {
      if (isDraft(name) || isOwnFolder(name)) continue;
      const stat = await lstat(await within(folder, name), { bigint: true }).catch((error) => {
        // Gone since it was listed, or its name is no Unicode, and then nobody could name it.
        if (hasErrno(error, "ENOENT")) return undefined;
        throw error;
      });
      if (stat?.dev !== dev) continue;
      if (stat.isDirectory() && depth < deepest) {
        await inside(folder, name, (inner) => walk(inner, `${prefix}${name}/`, depth + 1));
      } else if (stat.isFile()) {
        if (stock.size >= mostStocked) throw tooMany();
        stock.set(prefix + name, {
          mark: createHash("sha256").update(stampOf(stat)).digest("base64url").slice(0, 12),
          bytes: Number(stat.size),
          writtenAt: Number(stat.mtimeMs),
        });
      }
    }
  };

  await inFolder(root, [], ({ folder }) => walk(folder, "", 1));
  return stock;
}

function tooMany(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "too-many-files",
    `More than ${mostStocked} files are below the root: observe a smaller folder with an adapter of its own.`,
  );
}
