import { CapabilityError, type Observation, type ObservationPage, type ObserveContext } from "@paraph/core";
import { formatCursor, parseCursor, toObservationId } from "../../observe-cursor.ts";
import type { FilesContext } from "../context.ts";
import { readFileAtPath } from "../entries/read-file.ts";
import { withFileFaults } from "../file-fault.ts";
import { withOpenFolder } from "../paths/open-folder.ts";
import { type InventoryFile, readInventory } from "./file-inventory.ts";

/**
 * The files that a cursor knows, by path. Each file has a mark, and also a content hash if Paraph has read the content.
 */
type KnownFiles = ReadonlyMap<string, KnownFile>;
type KnownFile = readonly [mark: string, sha256?: string];

/** The maximum number of changes per page. It is low, because each change may require reading a file. */
const batchSize = 200;

/**
 * Returns a function that reports the changes below the root since the cursor. The cursor contains the known files. The
 * first poll only records the existing files and reports none of them. Later polls skip a file that was rewritten with
 * the same content, if the cursor contains its hash.
 */
export function createFileObserver(
  filesContext: FilesContext,
): (cursor: string | undefined, context: ObserveContext) => Promise<ObservationPage> {
  return (cursor, { signal }) =>
    withFileFaults(".", async () => {
      const stock = await readInventory(filesContext.root, signal);
      if (cursor === undefined) {
        const first: KnownFiles = new Map([...stock].map(([path, { mark }]) => [path, [mark]]));
        return { observations: [], cursor: formatCursor([...first]) };
      }
      const known: KnownFiles = new Map(parseCursor<[string, KnownFile][]>(cursor));
      const moved = findChangedFiles(known, stock);
      const next = new Map(known);
      const observations: Observation[] = [];
      for (const { path, now } of moved.slice(0, batchSize)) {
        signal.throwIfAborted();
        const seen = await toObservation(filesContext, path, known.get(path), now);
        if (seen.now) next.set(path, seen.now);
        else next.delete(path);
        if (seen.observation) observations.push(seen.observation);
      }
      return {
        observations,
        cursor: moved.length === 0 ? cursor : formatCursor([...next]),
        more: moved.length > batchSize,
      };
    });
}

interface ChangedFile {
  readonly path: string;
  readonly now: InventoryFile | undefined;
}

/** Returns the changed files sorted by path, so that the same cursor and the same files give the same result. */
function findChangedFiles(known: KnownFiles, stock: ReadonlyMap<string, InventoryFile>): ChangedFile[] {
  const gone = [...known.keys()].filter((path) => !stock.has(path)).map((path) => ({ path, now: undefined }));
  const there = [...stock]
    .filter(([path, { mark }]) => known.get(path)?.[0] !== mark)
    .map(([path, now]) => ({ path, now }));
  return [...gone, ...there].sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function toObservation(
  filesContext: FilesContext,
  path: string,
  before: KnownFile | undefined,
  now: InventoryFile | undefined,
): Promise<{ now?: KnownFile; observation?: Observation }> {
  if (!now) {
    const observation = { kind: "file.deleted", subject: path, data: {} };
    return { observation: { id: toObservationId("file.deleted", path, before?.[0] ?? ""), ...observation } };
  }
  const sha256 = await readContentHash(filesContext, path, now.bytes);
  const entry: KnownFile = sha256 === undefined ? [now.mark] : [now.mark, sha256];
  if (before && sha256 !== undefined && before[1] === sha256) return { now: entry };
  const kind = before ? "file.changed" : "file.created";
  return {
    now: entry,
    observation: {
      id: toObservationId(kind, path, now.mark),
      kind,
      subject: path,
      at: now.writtenAt,
      data: { bytes: now.bytes, ...(sha256 !== undefined && { sha256 }) },
    },
  };
}

/** Returns the hash of a file's content, or undefined if the file is too large or is no longer a file. */
async function readContentHash(
  { root, maxBytes }: FilesContext,
  path: string,
  bytes: number,
): Promise<string | undefined> {
  if (bytes > maxBytes) return undefined;
  const names = path.split("/");
  const name = names.pop() ?? "";
  try {
    return await withOpenFolder(root, names, async ({ folder, missing }) => {
      if (missing.length > 0) return undefined;
      const found = await readFileAtPath(folder, name, path, maxBytes);
      return found.kind === "file" ? found.sha256 : undefined;
    });
  } catch (error) {
    // Another program is replacing the file, or the file is unreadable. The observation then reports the change without
    // a hash.
    if (error instanceof CapabilityError || (error as NodeJS.ErrnoException).code !== undefined)
      return undefined;
    throw error;
  }
}
