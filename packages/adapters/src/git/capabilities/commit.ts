import { type Capability, CapabilityError, type ExecutionContext, type Preview } from "@paraph/core";
import { z } from "zod";
import { escapeControls } from "../../format-text.ts";
import { identInput } from "../commits/ident.ts";
import { messageInput, normalizeMessage, readSubject, withTrailer } from "../commits/message.ts";
import { type NewCommit, requireReady } from "../commits/new-commit.ts";
import { type NewCommitBasis, newCommitBasis, requireCurrentBranch } from "../commits/new-commit-basis.ts";
import { readTreeDiff, toDiffChanges } from "../commits/tree-diff.ts";
import type { GitContext } from "../context.ts";
import { readRef } from "../refs/revision.ts";
import type { Repository } from "../repository/repository.ts";
import { requireTreePath, treePathInput } from "../tree-path.ts";
import { requireIdleBranch } from "../worktree/require-idle.ts";
import { getEmptyTree } from "../worktree/tree-changes.ts";
import { writeWorktreeTree } from "../worktree/worktree-tree.ts";
import { createNewCommitCapability } from "./new-commit-capability.ts";

export function createCommitCapability(gitContext: GitContext): Capability {
  return createNewCommitCapability(gitContext, {
    verb: "commit",
    summary: "Commit files of the worktree to the checked-out branch",
    input: commitInput,
    basis: newCommitBasis,
    preview: previewCommit,
    toNewCommit,
    writeTree: (repository, input, { parents }) =>
      writeWorktreeTree(repository, parents[0] ?? null, input.paths.map(requireTreePath)),
  });
}

/** [P3] Previews a commit. It reads the files into the call's own folder. */
async function previewCommit(
  repository: Repository,
  input: CommitInput,
  context: ExecutionContext,
): Promise<Preview> {
  const branch = requireCurrentBranch(repository);
  const ref = `refs/heads/${branch}`;
  await requireIdleBranch(repository, ref);
  const parent = await readRef(repository, ref);
  const tree = await writeWorktreeTree(repository, parent, input.paths.map(requireTreePath));
  const basis = { ref, parents: parent === null ? [] : [parent], tree };
  const landing = toNewCommit(repository.context, input, basis, context);
  await requireReady(repository, landing);
  const difference = await readTreeDiff(repository, [parent ?? getEmptyTree(repository), tree]);
  if (difference.files.length === 0) {
    throw new CapabilityError(
      "permanent",
      "nothing-to-commit",
      `\`${branch}\` already contains these files without changes. There is nothing to commit.`,
    );
  }
  const { message, author } = landing;
  const change = {
    kind: parent === null ? "create" : "update",
    target: branch,
    summary: `Commit “${escapeControls(readSubject(message))}” to ${branch}`,
    details: { message, author, parent, tree },
  } as const;
  return { changes: toDiffChanges(change, difference), basis };
}

function toNewCommit(
  gitContext: GitContext,
  input: CommitInput,
  basis: NewCommitBasis,
  context: ExecutionContext,
): NewCommit {
  return {
    ...basis,
    message: withTrailer(normalizeMessage(input.message), context, gitContext.trailer),
    author: input.author ?? gitContext.author,
    updates: "index",
    verb: "commit",
  };
}

type CommitInput = z.output<typeof commitInput>;

const commitInput = z.strictObject({
  message: messageInput,
  paths: z
    .array(treePathInput)
    .min(1)
    .max(1000)
    .describe("files and folders to commit, including new and deleted ones"),
  author: identInput.optional().describe("author of the commit (default: the author in the configuration)"),
});
