import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
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
    /** When that process started: its number alone is soon another process's, and its port another user's. */
    readonly started: string;
    /** The port of the PostgreSQL that `paraph dev` started, if it did. */
    readonly postgres?: number | undefined;
  };
}

/** When a process started, in a form that no other process of this number has had. Empty: there is no such process. */
export function readProcessStart(pid: number): string {
  try {
    if (existsSync("/proc/self/stat")) {
      // The name in brackets can hold blanks and brackets of its own.
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
      return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${ticks}`;
    }
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}

/**
 * Where this user's Paraph keeps state that is no part of any project. Adapters and hooks refuse every path with `.paraph` in it,
 * so its name covers it wherever a root contains it.
 */
export function findStateHome(environment: NodeJS.ProcessEnv): string {
  const { XDG_STATE_HOME, HOME } = environment;
  return join(XDG_STATE_HOME || join(HOME || homedir(), ".local/state"), ".paraph");
}

/** The file of a `.paraph` folder's record: its name is a digest of the folder's real path. */
export async function findRecordFile(folder: string, environment: NodeJS.ProcessEnv): Promise<string> {
  return join(findStateHome(environment), "folders", `${await digestFolder(folder)}.json`);
}

/** A name for a folder by its real path. */
export async function digestFolder(folder: string): Promise<string> {
  return createHash("sha256")
    .update(await realpath(folder))
    .digest("hex");
}

/** Beside the record, from the first start on: says that this user's `paraph dev` made the contents of the folder. */
export async function findClaimFile(folder: string, environment: NodeJS.ProcessEnv): Promise<string> {
  return (await findRecordFile(folder, environment)).replace(/\.json$/, ".claimed");
}

export async function readRecord(
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<LocalRecord | undefined> {
  try {
    return JSON.parse(await readFile(await findRecordFile(folder, environment), "utf8")) as LocalRecord;
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
  const file = await findRecordFile(folder, environment);
  await mkdir(join(file, ".."), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.${process.pid}`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.${process.pid}`, file);
}
