import { CapabilityError, type ExecutionContext } from "@paraph/core";
import type { Ident } from "./commits/ident.ts";
import type { Remote } from "./remote/remote.ts";

/** What the capabilities of one adapter share. */
export interface GitContext {
  readonly name: string;
  /** The repository's folder, without links in its path. */
  readonly root: string;
  /** Who puts commits there, and who wrote them where the call does not say. */
  readonly author: Ident;
  /** Whether a commit's message ends with the id of its call. */
  readonly trailer: boolean;
  readonly remotes: ReadonlyMap<string, Remote>;
  /** Branches that are neither deleted nor moved back. */
  readonly protect: readonly string[];
  /** The most of a diff that is shown. */
  readonly maxDiffBytes: number;
  /** Whether there is a sandbox here: then every git runs in it. */
  readonly isSandboxed: boolean;
}

/** Local writes of one repository wait for each other. */
export function listRepositoryLocks(setting: GitContext): string[] {
  return [`git:${setting.name}`];
}

/** To be said before the effect only: from there on, stopping says nothing about what happened. */
export function throwIfStopped(world: ExecutionContext): void {
  if (world.signal.aborted)
    throw new CapabilityError("not-performed", "stopped", "Stopped before anything was done.");
}
