import { CapabilityError, type ExecutionContext } from "@paraph/core";
import type { ProcessLimits } from "../process/index.ts";
import type { Snapshots } from "./snapshots/snapshots.ts";
import type { HashCache } from "./workspace/hash-cache.ts";

/** What the capabilities of one adapter share. */
export interface TerminalContext {
  readonly name: string;
  /** The folder programs work in, without links in its path. */
  readonly workspace: string;
  /** Other folders they may read. */
  readonly read: readonly string[];
  readonly network: boolean;
  readonly timeoutMs: number;
  readonly limits: ProcessLimits;
  /** A value written `${NAME}` is a secret. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspaceLimits: WorkspaceLimits;
  readonly hashes: HashCache;
  readonly snapshots: Snapshots;
}

/** How much a workspace may hold: all of it is looked at, and kept, before anything runs in it. */
export interface WorkspaceLimits {
  readonly bytes: number;
  readonly entries: number;
}

/** Whatever changes a workspace waits for what does so already. */
export function listWorkspaceLocks({ name }: TerminalContext): string[] {
  return [`terminal:${name}`];
}

/** To be said before the effect only: from there on, stopping says nothing about what happened. */
export function throwIfStopped({ signal }: Pick<ExecutionContext, "signal">): void {
  if (signal.aborted)
    throw new CapabilityError("not-performed", "stopped", "Stopped before anything was done.");
}
