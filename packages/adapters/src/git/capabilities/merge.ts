import { type Capability, CapabilityError, type ExecutionContext, type Preview } from "@paraph/core";
import { z } from "zod";
import { escapeControls, formatCount, formatName } from "../../format-text.ts";
import { refChangedFault } from "../approved-basis.ts";
import { toCommitChanges } from "../commits/commit-changes.ts";
import { listCommits } from "../commits/commits.ts";
import { writeMergedTree } from "../commits/merged-tree.ts";
import { messageInput, normalizeMessage, readSubject, withTrailer } from "../commits/message.ts";
import { type NewCommit, requireReady } from "../commits/new-commit.ts";
import { type NewCommitBasis, newCommitBasis, readBranchTip } from "../commits/new-commit-basis.ts";
import { readTreeDiff, toDiffChanges } from "../commits/tree-diff.ts";
import type { GitContext } from "../context.ts";
import { refNameInput } from "../refs/ref-name.ts";
import { resolveCommit, revisionInput } from "../refs/revision.ts";
import type { Repository } from "../repository/repository.ts";
import { requireIdleBranch } from "../worktree/require-idle.ts";
import { createNewCommitCapability } from "./new-commit-capability.ts";

/**
 * Creates the merge capability. It always creates a merge commit, even if a fast-forward is possible, so that one
 * revert can undo the merge.
 */
export function createMergeCapability(gitContext: GitContext): Capability {
  return createNewCommitCapability(gitContext, {
    verb: "merge",
    summary: "Merge a branch into another with a merge commit",
    input: mergeInput,
    basis: newCommitBasis,
    preview: previewMerge,
    toNewCommit,
    async writeTree(repository, input, { parents }) {
      if ((await resolveCommit(repository, input.from)) !== parents[1]) throw refChangedFault(input.from);
      return writeMergedTree(repository, parents[0]!, parents[1]!);
    },
    undo: { mainline: 1 },
  });
}

/** [P3] Previews a merge. It performs the merge in the call's own folder. */
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
