import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isRunningFor } from "./process-check.ts";

/** The processes that run a server for a folder: its guardian and, once started, the server itself. */
export type LockHolder = { guardian: number; server?: number };

/**
 * Takes the lock for this process, or returns the live holder. Replaces a lock that a crash left behind. Two processes
 * that replace the same stale lock at the same time could both succeed. The data stays safe even then, because
 * PostgreSQL and RocksDB lock their own folders. This lock exists to name the other process in the error.
 */
export function acquireLock(file: string, folder: string): LockHolder | undefined {
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify({ guardian: process.pid }), { flag: "wx", mode: 0o600 });
      return undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = readLock(file);
    if (holder && isHeld(holder, folder)) return holder;
    rmSync(file, { force: true });
  }
}

export function recordServer(file: string, server: number): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ guardian: process.pid, server }), { mode: 0o600 });
  renameSync(draft, file);
}

export function releaseLock(file: string): void {
  if (readLock(file)?.guardian === process.pid) rmSync(file, { force: true });
}

function readLock(file: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as LockHolder;
  } catch {
    return undefined;
  }
}

function isHeld(holder: LockHolder, folder: string): boolean {
  return [holder.guardian, holder.server].some((pid) => pid !== undefined && isRunningFor(pid, folder));
}
