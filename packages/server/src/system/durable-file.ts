import {
  chownSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** Options of `writeDurably`. */
interface DurableWrite {
  /** Whether to keep an existing file. The write then fails with `EEXIST`. */
  readonly exclusive?: boolean;
  /** The user and group that own the file (default: those of this process). Only root can choose others. */
  readonly owner?: Pick<Stats, "uid" | "gid"> | undefined;
}

/**
 * Writes a file, readable only by its owner, so that a crash leaves either the whole file or none. The temporary file
 * has a fixed name, so that the next write replaces what a crash left.
 */
export function writeDurably(file: string, text: string, { exclusive, owner }: DurableWrite = {}): void {
  const temporary = `${file}.${exclusive ? process.pid : "new"}.tmp`;
  rmSync(temporary, { force: true });
  const handle = openSync(temporary, "wx", 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  if (owner && process.getuid?.() === 0) chownSync(temporary, owner.uid, owner.gid);
  if (exclusive) {
    try {
      linkSync(temporary, file);
    } finally {
      rmSync(temporary);
    }
  } else renameSync(temporary, file);
  syncFolder(dirname(file));
}

/** Moves a file within one file system and replaces its target. */
export function moveDurably(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(dirname(to));
  syncFolder(dirname(from));
}

/** Makes the names in a folder durable. Windows cannot open a folder, and needs no such step. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
