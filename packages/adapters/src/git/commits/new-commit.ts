import { CapabilityError, type ExecutionContext, type Probe } from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { refChangedFault } from "../approved-basis.ts";
import { moveRef } from "../refs/move-ref.ts";
import { clearStaleLock } from "../refs/ref-lock.ts";
import { readRef } from "../refs/revision.ts";
import type { Repository } from "../repository/repository.ts";
import { requireIndexFree } from "../worktree/index-file.ts";
import { requireCleanPaths } from "../worktree/require-clean.ts";
import { requireIdleBranch } from "../worktree/require-idle.ts";
import { listTreeChanges, requirePlainFiles } from "../worktree/tree-changes.ts";
import { updateWorktree, type WorktreeUpdate } from "../worktree/update-worktree.ts";
import { type Commit, listCommits, readCommit } from "./commits.ts";
import { type Ident, toIdentEnvironment } from "./ident.ts";

/**
 * A commit that becomes the tip of a branch. A probe recognises it by its content, because the commit's id depends on
 * the time.
 */
export interface NewCommit {
  readonly ref: string;
  readonly parents: readonly string[];
  readonly tree: string;
  readonly message: string;
  readonly author: Ident;
  readonly updates: WorktreeUpdate;
  readonly verb: string;
}

/** [P7] Commits to a branch only if the branch still points to the commit that the preview saw. */
export async function commitToBranch(
  repository: Repository,
  landing: NewCommit,
  context: ExecutionContext,
  /** Builds the tree again from the current state. */
  treeNow: () => Promise<string>,
): Promise<NewCommitOutput> {
  const before = landing.parents[0] ?? null;
  const found = await findNewCommit(repository, landing);
  if (found.kind === "moved") throw refChangedFault(landing.ref);
  if (found.kind === "there") return finishCommit(repository, landing, found.commit, context);
  await requireIdleBranch(repository, landing.ref);
  if ((await treeNow()) !== landing.tree) throw refChangedFault(landing.ref);
  await requireReady(repository, landing);
  if (isCheckedOut(repository, landing.ref)) await requireIndexFree(repository);
  const commit = await writeCommit(repository, landing);
  throwIfStopped(context);
  await moveRef(repository, { ref: landing.ref, from: before, to: commit, reason: landing.verb }, context);
  return finishCommit(repository, landing, commit, context);
}

/**
 * [P7] Probes whether an attempt with an unknown outcome created the commit. If it did, the probe completes the
 * remaining steps.
 */
export async function probeNewCommit(
  repository: Repository,
  landing: NewCommit,
  context: ExecutionContext,
): Promise<Probe> {
  const found = await findNewCommit(repository, landing);
  if (found.kind === "moved") return { kind: "unsure" };
  if (found.kind === "not-there") return { kind: "absent" };
  return { kind: "present", output: await finishCommit(repository, landing, found.commit, context) };
}

export const newCommitOutput = z.object({
  commit: z.string(),
  branch: z.string(),
  parents: z.array(z.string()),
  behind: z
    .boolean()
    .describe("whether the worktree was left as it is, because one of the files changed in the meantime"),
});

type NewCommitOutput = z.output<typeof newCommitOutput>;

type NewCommitState =
  | { readonly kind: "there"; readonly commit: string }
  | { readonly kind: "not-there" }
  | { readonly kind: "moved" };

/** Searches all commits since the preview, because another commit may already follow the commit of this call. */
async function findNewCommit(repository: Repository, landing: NewCommit): Promise<NewCommitState> {
  const before = landing.parents[0] ?? null;
  await clearStaleLock(repository, landing.ref, (oid) =>
    readCommit(repository, oid).then(
      (commit) => isSameCommit(commit, landing),
      () => false,
    ),
  );
  const tip = await readRef(repository, landing.ref);
  if (tip === before) return { kind: "not-there" };
  if (tip === null) return { kind: "moved" };
  const since = await listCommits(repository, before === null ? [tip] : [tip, `^${before}`], {
    max: maxSearchedCommits,
  });
  const ours = since.find((commit) => isSameCommit(commit, landing));
  return ours ? { kind: "there", commit: ours.commit } : { kind: "moved" };
}

function isSameCommit(commit: Commit, { parents, tree, message, author }: NewCommit): boolean {
  return (
    commit.tree === tree &&
    commit.parents.join() === parents.join() &&
    commit.message.trimEnd() === message.trimEnd() &&
    commit.author.name === author.name &&
    commit.author.email === author.email
  );
}

/**
 * [P3] Checks whether the commit can proceed, and changes nothing. It runs before the effect, because only another
 * commit can revert the effect.
 */
export async function requireReady(repository: Repository, landing: NewCommit): Promise<void> {
  const entries = await listTreeChanges(repository, landing.parents[0] ?? null, landing.tree);
  await requirePlainFiles(repository, entries);
  if (isCheckedOut(repository, landing.ref) && landing.updates === "both")
    await requireCleanPaths(repository, entries);
}

async function writeCommit(
  repository: Repository,
  { parents, tree, message, author }: NewCommit,
): Promise<string> {
  const { stdout } = await repository.git(
    ["commit-tree", ...parents.flatMap((parent) => ["-p", parent]), "-F", "-", tree],
    {
      what: "Writing the commit",
      stdin: message,
      env: toIdentEnvironment(author, repository.context.author),
    },
  );
  return stdout.toString("utf8").trim();
}

/**
 * Updates the index and the worktree after the commit. It skips the update if a person has changed the same files in
 * the meantime.
 */
async function finishCommit(
  repository: Repository,
  { ref, parents, updates }: NewCommit,
  commit: string,
  { call }: ExecutionContext,
): Promise<NewCommitOutput> {
  const output = { commit, branch: ref.replace("refs/heads/", ""), parents: [...parents], behind: false };
  if (!isCheckedOut(repository, ref)) return output;
  try {
    if ((await readRef(repository, ref)) !== commit) return output;
    await updateWorktree(repository, { from: parents[0] ?? null, to: commit, follows: updates, call });
    return output;
  } catch (error) {
    const said = error instanceof CapabilityError ? error : undefined;
    if (said?.code === "in-the-way") return { ...output, behind: true };
    const why =
      said?.message ??
      "Paraph could not update the index and the worktree. Run `git status` in the repository to see the differences.";
    throw new CapabilityError("ambiguous", "not-settled", `The commit exists. ${why}`);
  }
}

function isCheckedOut({ head }: Repository, ref: string): boolean {
  return head.kind === "branch" && head.ref === ref;
}

const maxSearchedCommits = 5_000;
