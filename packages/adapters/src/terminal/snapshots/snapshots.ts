import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { createTree, type WorkspaceTree, workspaceEntry } from "../workspace/entry.ts";
import { ObjectStore } from "./object-store.ts";

export interface Snapshot {
  /** The workspace before the change. */
  readonly before: WorkspaceTree;
  /** The digest of the workspace after the change, or undefined if it is unknown how the change ended. */
  readonly after?: string | undefined;
}

interface SnapshotRetention {
  readonly count: number;
  readonly ageMs: number;
}

/**
 * A store of workspace snapshots. Each snapshot holds the state of a workspace before a change. The store is outside
 * the workspaces and keeps one snapshot per call for a limited time.
 */
export class Snapshots {
  readonly objects: ObjectStore;
  readonly #folder: string;
  readonly #keeping: SnapshotRetention;

  constructor(folder: string, keeping: SnapshotRetention) {
    this.#folder = folder;
    this.#keeping = keeping;
    this.objects = new ObjectStore(join(folder, "objects"));
  }

  /** Writes a snapshot completely or not at all, even if the process crashes. */
  async write(id: string, { before, after }: Snapshot): Promise<void> {
    // The draft is in the same folder as the contents, because the sweep of that folder removes drafts of crashed
    // processes.
    const drafts = join(this.#folder, "objects");
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    const draft = join(drafts, `${randomUUID()}.draft`);
    await writeFile(draft, JSON.stringify({ entries: before.entries, after }), { mode: 0o600 });
    await rename(draft, this.#path(id));
  }

  async load(id: string): Promise<Snapshot> {
    const record = await readRecord(this.#path(id));
    if (record) return { before: createTree(record.entries), after: record.after };
    throw new CapabilityError(
      "permanent",
      "snapshot-gone",
      "The snapshot does not exist on this machine. Another machine made it, or Paraph removed it. Restore the files another way, such as from version control.",
    );
  }

  async drop(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  /** Removes snapshots beyond the configured number and age, and the contents that only these snapshots need. */
  async prune(): Promise<void> {
    const records = await this.#records();
    const kept = records
      .slice(0, this.#keeping.count)
      .filter(({ at }) => Date.now() - at < this.#keeping.ageMs);
    if (kept.length === records.length) return;
    for (const { path } of records.filter((record) => !kept.includes(record)))
      await rm(path, { force: true });
    const needed = new Set<string>();
    for (const { path } of kept) {
      const { entries = [] } = (await readRecord(path)) ?? {};
      for (const each of entries) if (each.kind === "file") needed.add(each.sha256);
    }
    await this.objects.sweep(needed);
  }

  /** Lists the snapshots, newest first. */
  async #records(): Promise<{ path: string; at: number }[]> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith(".json"));
    const records = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        const at = await stat(path).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        );
        return { path, at };
      }),
    );
    return records.sort((a, b) => b.at - a.at);
  }

  /**
   * Returns the path of a snapshot. The id comes from a call, so the method rejects any id that could lead to another
   * folder.
   */
  #path(id: string): string {
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(id))
      throw new CapabilityError(
        "permanent",
        "snapshot-invalid",
        "The id of the snapshot is invalid. Use the id from the run's output.",
      );
    return join(this.#folder, `${id}.json`);
  }
}

/** Reads the record of a snapshot. Returns undefined if another process removed the snapshot in the meantime. */
async function readRecord(path: string): Promise<z.infer<typeof snapshotRecord> | undefined> {
  try {
    return snapshotRecord.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

const snapshotRecord = z.object({ entries: z.array(workspaceEntry), after: z.string().optional() });
