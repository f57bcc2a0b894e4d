import { createHash } from "node:crypto";
import { mkdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { PublicKey } from "@paraph/core";

/**
 * What `paraph dev` keeps about a folder outside of that folder. A folder can come from anywhere, and agents work in it: which
 * keys are trusted, where Paraph listens and the person's key are therefore never read from the folder itself.
 */
export interface LocalRecord {
  /** Where it listens unless `--port` says otherwise. */
  readonly url: string;
  readonly agent: string;
  readonly owner: string;
  /** The keys that sign receipts there. */
  readonly keys: readonly PublicKey[];
  readonly running?: {
    readonly url: string;
    readonly pid: number;
    /** The port of the PostgreSQL that `paraph dev` started, if it did. */
    readonly postgres?: number | undefined;
  };
}

/** Where this user's programs keep state that is no part of any project. */
export function stateHome(environment: NodeJS.ProcessEnv): string {
  const { XDG_STATE_HOME, HOME } = environment;
  return join(XDG_STATE_HOME || join(HOME || homedir(), ".local/state"), "paraph");
}

/** The file of a `.paraph` folder's record: its name is a digest of the folder's real path. */
export async function recordFile(folder: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const name = createHash("sha256")
    .update(await realpath(folder))
    .digest("hex");
  return join(stateHome(environment), "folders", `${name}.json`);
}

export async function readRecord(
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<LocalRecord | undefined> {
  try {
    return JSON.parse(await readFile(await recordFile(folder, environment), "utf8")) as LocalRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export async function writeRecord(
  folder: string,
  environment: NodeJS.ProcessEnv,
  record: LocalRecord,
): Promise<void> {
  const file = await recordFile(folder, environment);
  await mkdir(join(file, ".."), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.${process.pid}`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.${process.pid}`, file);
}
