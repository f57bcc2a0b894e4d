import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { createTree, type WorkspaceTree, workspaceEntry } from "../workspace/entry.ts";
import { ObjectStore } from "./object-store.ts";

export interface Snapshot {
  /** The workspace as it was. */
  readonly before: WorkspaceTree;
  /** The digest of what was left there; not known where nobody saw the end. */
  readonly after?: string | undefined;
}

interface SnapshotRetention {
  readonly count: number;
  readonly ageMs: number;
}

/** What workspaces were before something was done to them: outside of them, one for each call, for a while. */
export class Snapshots {
  readonly objects: ObjectStore;
  readonly #folder: string;
  readonly #keeping: SnapshotRetention;

  constructor(folder: string, keeping: SnapshotRetention) {
    this.#folder = folder;
    this.#keeping = keeping;
    this.objects = new ObjectStore(join(folder, "objects"));
  }

  /** Whole or not at all, whoever dies meanwhile. */
  async write(id: string, { before, after }: Snapshot): Promise<void> {
    // Among the contents, where drafts of those who died are swept away.
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
      "There is no such snapshot here: it was made on another machine, or is no longer kept.",
    );
  }

  async drop(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  /** Lets go of all but the youngest, and of what only the others held. */
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

  /** The youngest first. */
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

  /** A name from a call: only what cannot lead elsewhere passes. */
  #path(id: string): string {
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(id))
      throw new CapabilityError(
        "permanent",
        "snapshot-invalid",
        "A snapshot is named by the id of its call.",
      );
    return join(this.#folder, `${id}.json`);
  }
}

/** Another process may just have let go of it. */
async function readRecord(path: string): Promise<z.infer<typeof snapshotRecord> | undefined> {
  try {
    return snapshotRecord.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

const snapshotRecord = z.object({ entries: z.array(workspaceEntry), after: z.string().optional() });
