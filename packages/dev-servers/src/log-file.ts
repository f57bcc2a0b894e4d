import { closeSync, fstatSync, openSync, readFileSync, renameSync } from "node:fs";

const maxLogBytes = 16 * 1024 * 1024;

/** Opens a server's log for appending. If the log of earlier runs is large, first renames it to `.old`. */
export function openLog(file: string): number {
  const log = openSync(file, "a", 0o600);
  if (fstatSync(log).size < maxLogBytes) return log;
  closeSync(log);
  renameSync(file, `${file}.old`);
  return openSync(file, "a", 0o600);
}

/** Returns what was written to the log after its first `from` bytes, or nothing if its folder was deleted meanwhile. */
export function readLogSince(file: string, from: number): string {
  try {
    return readFileSync(file).subarray(from).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

export function takeLastLines(text: string, count = 20): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
