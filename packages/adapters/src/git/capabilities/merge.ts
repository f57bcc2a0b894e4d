import {
  type Capability,
  CapabilityError,
  defineCapability,
  type ExecutionContext,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { escapeControls, formatCount, formatName } from "../../format-text.ts";
import { parseApprovedBasis, refChangedFault } from "../approved-basis.ts";
import { toCommitChanges } from "../commits/commit-changes.ts";
import { listCommits } from "../commits/commits.ts";
import { writeMergedTree } from "../commits/merged-tree.ts";
import { messageInput, normalizeMessage, readSubject, withTrailer } from "../commits/message.ts";
import {
  commitToBranch,
  type NewCommit,
  newCommitOutput,
  probeNewCommit,
  requireReady,
} from "../commits/new-commit.ts";
import { type NewCommitBasis, newCommitBasis, readBranchTip } from "../commits/new-commit-basis.ts";
import { readTreeDiff, toDiffChanges } from "../commits/tree-diff.ts";
import { type GitContext, listRepositoryLocks } from "../context.ts";
import { refNameInput } from "../refs/ref-name.ts";
import { resolveCommit, revisionInput } from "../refs/revision.ts";
import { type Repository, withRepository } from "../repository/repository.ts";
import { runGitProbe } from "../run-probe.ts";
import { requireIdleBranch } from "../worktree/require-idle.ts";

/**
 * Creates the merge capability. It always creates a merge commit, even if a fast-forward were possible, so that one
 * revert can undo it.
 */
export function createMergeCapability(gitContext: GitContext): Capability {
  return defineCapability({
    name: `${gitContext.name}.merge`,
    version: 1,
    summary: "Merge a branch into another with a merge commit",
    effect: "write",
    idempotency: "probe",
    input: mergeInput,
    output: newCommitOutput,
    timeout: "60s",
    locks: () => listRepositoryLocks(gitContext),
    preview: (input, context) =>
      withRepository(gitContext, { to: "look", signal: context.signal }, (repository) =>
        previewMerge(repository, input, context),
      ),
    apply: (input, context) =>
      withRepository(gitContext, { to: "write", signal: context.signal }, (repository) => {
        const basis = parseApprovedBasis(newCommitBasis, context.basis);
        return commitToBranch(
          repository,
          toNewCommit(gitContext, input, basis, context),
          context,
          async () => {
            if ((await resolveCommit(repository, input.from)) !== basis.parents[1])
              throw refChangedFault(input.from);
            return writeMergedTree(repository, basis.parents[0]!, basis.parents[1]!);
          },
        );
      }),
    probe: (input, context) =>
      runGitProbe(() =>
        withRepository(gitContext, { to: "write", signal: context.signal }, (repository) =>
          probeNewCommit(
            repository,
            toNewCommit(gitContext, input, parseApprovedBasis(newCommitBasis, context.basis), context),
            context,
          ),
        ),
      ),
    undo: (_, { commit, branch }) => ({
      capability: `${gitContext.name}.revert`,
      input: { commit, branch, mainline: 1 },
    }),
  });
}

/** [P3] Previews a merge, which it makes in the call's own folder. */
async function previewMerge(
  repository: Repository,
  input: MergeInput,
  context: ExecutionContext,
): Promise<Preview> {
  const into = await readBranchTip(repository, input.into);
  const from = await resolveCommit(repository, input.from);
  await requireIdleBranch(repository, into.ref);
  const merged = await listCommits(repository, [from, `^${into.commit}`], { max: maxCommits + 1 });
  if (merged.length === 0) {
    throw new CapabilityError(
      "permanent",
      "already-merged",
      `Everything in ${formatName(input.from)} is already in \`${into.branch}\`. There is nothing to merge.`,
    );
  }
  const tree = await writeMergedTree(repository, into.commit, from);
  const basis = { ref: into.ref, parents: [into.commit, from], tree };
  const landing = toNewCommit(repository.context, input, basis, context);
  await requireReady(repository, landing);
  const change = {
    kind: "update",
    target: into.branch,
    summary: `Merge ${escapeControls(input.from)} into ${into.branch}, “${escapeControls(readSubject(landing.message))}”, ${formatCount(merged.length, "commit").replace(`${maxCommits + 1}`, `more than ${maxCommits}`)}`,
    details: { message: landing.message, head: into.commit, from, tree },
  } as const;
  const difference = await readTreeDiff(repository, [into.commit, tree]);
  return {
    changes: [...toDiffChanges(change, difference), ...toCommitChanges(merged.slice(0, maxCommits))],
    basis,
  };
}

function toNewCommit(
  gitContext: GitContext,
  input: MergeInput,
  basis: NewCommitBasis,
  context: ExecutionContext,
): NewCommit {
  const into = basis.ref.replace("refs/heads/", "");
  const message = normalizeMessage(input.message ?? `Merge ${input.from} into ${into}`);
  return {
    ...basis,
    message: withTrailer(message, context, gitContext.trailer),
    author: gitContext.author,
    updates: "both",
    verb: "merge",
  };
}

type MergeInput = z.output<typeof mergeInput>;

const maxCommits = 50;

const mergeInput = z.strictObject({
  from: revisionInput,
  into: refNameInput.optional().describe("branch to merge into (default: the checked-out branch)"),
  message: messageInput.optional(),
});
