import { createHash } from "node:crypto";
import { lstat, readdir } from "node:fs/promises";
import { CapabilityError } from "@paraph/core";
import { isParaphFolder } from "../../paraph-folder.ts";
import { isDraft } from "../drafts/draft-name.ts";
import { toStamp } from "../entries/tree.ts";
import { hasErrno } from "../file-fault.ts";
import { type OpenFolder, resolveInFolder, withOpenFolder, withSubfolder } from "../paths/open-folder.ts";
import type { Root } from "../paths/root.ts";

/** A file in a listing of the root, without its content. */
export interface InventoryFile {
  /** A value that changes whenever the file is written, moved or replaced. */
  readonly mark: string;
  readonly bytes: number;
  /** The time of the last write in milliseconds since 1970. */
  readonly writtenAt: number;
}

export const maxInventoryFiles = 10_000;
const maxDepth = 64;

/**
 * Returns every regular file below the root by its path. It skips links, devices, drafts, Paraph's own folder and other
 * file systems. It throws if it cannot read a folder, because that folder's files would otherwise seem deleted.
 */
export async function readInventory(
  root: Root,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, InventoryFile>> {
  const stock = new Map<string, InventoryFile>();

  const walk = async (folder: OpenFolder, prefix: string, depth: number): Promise<void> => {
    signal.throwIfAborted();
    const { dev } = await folder.handle.stat({ bigint: true });
    for (const name of (await readdir(await resolveInFolder(folder, "."))).sort()) {
      if (isDraft(name) || isParaphFolder(name)) continue;
      const stat = await lstat(await resolveInFolder(folder, name), { bigint: true }).catch((error) => {
        // Skips a file that was removed after the listing. Also skips a file whose name is not valid Unicode, because
        // no call can address it.
        if (hasErrno(error, "ENOENT")) return undefined;
        throw error;
      });
      if (stat?.dev !== dev) continue;
      if (stat.isDirectory() && depth < maxDepth) {
        await withSubfolder(folder, name, (inner) => walk(inner, `${prefix}${name}/`, depth + 1));
      } else if (stat.isFile()) {
        if (stock.size >= maxInventoryFiles) throw tooManyFilesFault();
        stock.set(prefix + name, {
          mark: createHash("sha256").update(toStamp(stat)).digest("base64url").slice(0, 12),
          bytes: Number(stat.size),
          writtenAt: Number(stat.mtimeMs),
        });
      }
    }
  };

  await withOpenFolder(root, [], ({ folder }) => walk(folder, "", 1));
  return stock;
}

function tooManyFilesFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "too-many-files",
    `The root contains more than ${maxInventoryFiles} files. Configure a separate adapter for a smaller folder.`,
  );
}
