import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { PublicKey } from "@paraph/core";

/**
 * The record that `paraph dev` keeps about a folder, outside of that folder. A folder can come from anywhere, and
 * agents work in it. Paraph therefore never reads trusted keys, its own address or the person's key from the folder.
 */
export interface LocalRecord {
  /** The address of the API, unless `--port` sets another. */
  readonly url: string;
  readonly agent: string;
  readonly owner: string;
  /** The public keys that verify receipts of this folder. */
  readonly keys: readonly PublicKey[];
  readonly running?: {
    readonly url: string;
    readonly pid: number;
    /**
     * The start time of the running process, which identifies the process. The process id and the port cannot identify
     * it, because the system may reuse the id and another user may take the port.
     */
    readonly started: string;
    /** The port of PostgreSQL, if `paraph dev` started it. */
    readonly postgres?: number | undefined;
    /** The digest of the configuration's files when the process started. */
    readonly configuration?: string;
  };
}

/**
 * Returns the start time of a process, in a form that is unique among processes with this id. Returns an empty string
 * if the process does not exist.
 */
export function readProcessStart(pid: number): string {
  try {
    if (existsSync("/proc/self/stat")) {
      // The process name is in parentheses, and can itself contain spaces and parentheses. Parsing therefore starts
      // after the last closing parenthesis.
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
 * Returns the folder for the state of this user that is not part of a single project. The folder is named `.paraph`,
 * because adapters and hooks refuse every path that contains this name, regardless of their root.
 */
export function findStateHome(environment: NodeJS.ProcessEnv): string {
  const { XDG_STATE_HOME, HOME } = environment;
  return join(XDG_STATE_HOME || join(HOME || homedir(), ".local/state"), ".paraph");
}

/**
 * Returns the path of the file that holds the record of a `.paraph` folder. The file name is a digest of the folder's
 * real path.
 */
export async function findRecordFile(folder: string, environment: NodeJS.ProcessEnv): Promise<string> {
  return join(findStateHome(environment), "folders", `${await digestFolder(folder)}.json`);
}

/** Returns a digest of the folder's real path, for use as a name. */
export async function digestFolder(folder: string): Promise<string> {
  return createHash("sha256")
    .update(await realpath(folder))
    .digest("hex");
}

/**
 * Returns the path of the claim file, which is beside the record. The claim shows that this user's `paraph dev` created
 * the contents of the folder.
 */
export async function findClaimFile(folder: string, environment: NodeJS.ProcessEnv): Promise<string> {
  return (await findRecordFile(folder, environment)).replace(/\.json$/, ".claimed");
}

/** Reads the record of a folder, or returns undefined if there is none. */
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

/** Writes the record of a folder atomically, readable only by this user. */
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
