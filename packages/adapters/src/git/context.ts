import type { Ident } from "./commits/ident.ts";
import type { Remote } from "./remote/remote.ts";

/** The settings that the capabilities of one adapter share. */
export interface GitContext {
  readonly name: string;
  /** The repository's folder, as a path without links. */
  readonly root: string;
  /** The committer of all commits. Also the author of a commit if the call names no author. */
  readonly author: Ident;
  /** Whether a commit's message ends with the id of its call. */
  readonly trailer: boolean;
  readonly remotes: ReadonlyMap<string, Remote>;
  /** The branches that Paraph neither deletes nor moves back. */
  readonly protect: readonly string[];
  /** The maximum size of a diff in a preview. */
  readonly maxDiffBytes: number;
  /** Whether this machine has a sandbox, in which case every git process runs in it. */
  readonly isSandboxed: boolean;
}

/** Returns the lock that makes local writes of one repository wait for each other. */
export function listRepositoryLocks(gitContext: GitContext): string[] {
  return [`git:${gitContext.name}`];
}
