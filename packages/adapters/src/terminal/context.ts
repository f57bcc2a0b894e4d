import type { ProcessLimits } from "../process/index.ts";
import type { Snapshots } from "./snapshots/snapshots.ts";
import type { HashCache } from "./workspace/hash-cache.ts";

/** The settings that the capabilities of one adapter share. */
export interface TerminalContext {
  readonly name: string;
  /** The folder that programs work in, as a path without links. */
  readonly workspace: string;
  /** The folders, in addition to the workspace, that programs may read. */
  readonly read: readonly string[];
  readonly network: boolean;
  readonly timeoutMs: number;
  readonly limits: ProcessLimits;
  /** The environment of runs, where a value of the form `${NAME}` refers to a secret. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspaceLimits: WorkspaceLimits;
  readonly hashes: HashCache;
  readonly snapshots: Snapshots;
}

/** The maximum size of a workspace. Paraph reads and stores all of it before a program runs in it. */
export interface WorkspaceLimits {
  readonly bytes: number;
  readonly entries: number;
}

/** Returns the lock that makes the changes of a workspace run one after the other. */
export function listWorkspaceLocks({ name }: TerminalContext): string[] {
  return [`terminal:${name}`];
}
