import { type Capability, CapabilityError, type ExecutionContext, type Preview } from "@paraph/core";
import { z } from "zod";
import { escapeControls } from "../../format-text.ts";
import { readCommit, readTrees } from "../commits/commits.ts";
import { writeAppliedTree } from "../commits/merged-tree.ts";
import { messageInput, normalizeMessage, readSubject, withTrailer } from "../commits/message.ts";
import { type NewCommit, requireReady } from "../commits/new-commit.ts";
import { newCommitBasis, readBranchTip } from "../commits/new-commit-basis.ts";
import { readTreeDiff, toDiffChanges } from "../commits/tree-diff.ts";
import type { GitContext } from "../context.ts";
import { shortenId } from "../format.ts";
import { refNameInput } from "../refs/ref-name.ts";
import { resolveCommit, revisionInput } from "../refs/revision.ts";
import type { Repository } from "../repository/repository.ts";
import { requireIdleBranch } from "../worktree/require-idle.ts";
import { getEmptyTree } from "../worktree/tree-changes.ts";
import { createNewCommitCapability } from "./new-commit-capability.ts";

export function createRevertCapability(gitContext: GitContext): Capability {
  return createNewCommitCapability(gitContext, {
    verb: "revert",
    summary: "Revert a commit with a new commit",
    input: revertInput,
    basis: revertBasis,
    preview: previewRevert,
    toNewCommit,
    writeTree: (repository, input, { parents, commit }) =>
      writeRevertedTree(repository, parents[0]!, commit, input.mainline),
  });
}

/** [P3] Previews a revert. It builds the reverted tree in the call's own folder. */
async function previewRevert(
  repository: Repository,
  input: RevertInput,
  context: ExecutionContext,
): Promise<Preview> {
  const tip = await readBranchTip(repository, input.branch);
  const commit = await resolveCommit(repository, input.commit);
  await requireIdleBranch(repository, tip.ref);
  const { message } = await readCommit(repository, commit);
  const tree = await writeRevertedTree(repository, tip.commit, commit, input.mainline);
  const basis = { ref: tip.ref, parents: [tip.commit], tree, commit, subject: readSubject(message) };
  const landing = toNewCommit(repository.context, input, basis, context);
  await requireReady(repository, landing);
  const difference = await readTreeDiff(repository, [tip.commit, tree]);
  if (difference.files.length === 0) {
    throw new CapabilityError(
      "permanent",
      "nothing-to-revert",
      `The changes of \`${shortenId(commit)}\` are not in \`${tip.branch}\`. There is nothing to revert.`,
    );
  }
  const change = {
    kind: "update",
    target: tip.branch,
    summary: `Revert ${shortenId(commit)} “${escapeControls(basis.subject)}” on ${tip.branch}`,
    details: { message: landing.message, head: tip.commit, commit, tree },
  } as const;
  return { changes: toDiffChanges(change, difference), basis };
}

/** Writes the branch's tree without the commit's changes. */
async function writeRevertedTree(
  repository: Repository,
  head: string,
  commit: string,
  mainline: number | undefined,
): Promise<string> {
  const { parents, tree } = await readCommit(repository, commit);
  if (parents.length > 1 !== (mainline !== undefined) || (mainline ?? 1) > Math.max(1, parents.length)) {
    throw new CapabilityError(
      "permanent",
      "mainline-needed",
      parents.length > 1
        ? `\`${shortenId(commit)}\` is a merge with ${parents.length} parents. Set \`mainline\` to the parent to keep, usually 1.`
        : `\`${shortenId(commit)}\` is not a merge. Send the call without \`mainline\`.`,
    );
  }
  const parent = parents[(mainline ?? 1) - 1];
  const [ours, before] = await readTrees(repository, parent === undefined ? [head] : [head, parent]);
  return writeAppliedTree(repository, {
    base: tree,
    ours: ours!,
    theirs: before ?? getEmptyTree(repository),
  });
}

function toNewCommit(
  gitContext: GitContext,
  input: RevertInput,
  basis: RevertBasis,
  context: ExecutionContext,
): NewCommit {
  const { commit, subject, ...landing } = basis;
  const message = normalizeMessage(input.message ?? `Revert "${subject}"\n\nThis reverts commit ${commit}.`);
  return {
    ...landing,
    message: withTrailer(message, context, gitContext.trailer),
    author: gitContext.author,
    updates: "both",
    verb: "revert",
  };
}

type RevertInput = z.output<typeof revertInput>;
type RevertBasis = z.output<typeof revertBasis>;

const revertBasis = newCommitBasis.extend({ commit: z.string(), subject: z.string() });

const revertInput = z.strictObject({
  commit: revisionInput,
  branch: refNameInput.optional().describe("branch for the new commit (default: the checked-out branch)"),
  mainline: z
    .int()
    .min(1)
    .max(16)
    .optional()
    .describe("for a merge, the number of the parent to keep, usually 1"),
  message: messageInput.optional(),
});
