import {
  type Capability,
  CapabilityError,
  defineCapability,
  type ExecutionContext,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
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
import { escapeControls, formatCount, formatName } from "../format.ts";
import { refNameInput } from "../refs/ref-name.ts";
import { resolveCommit, revisionInput } from "../refs/revision.ts";
import { type Repository, withRepository } from "../repository/repository.ts";
import { runGitProbe } from "../run-probe.ts";
import { requireIdleBranch } from "../worktree/require-idle.ts";

/**
 * Creates the merge capability. It always creates a merge commit, even if a fast-forward were possible, so that one
 * revert can undo it.
 */
export function createMergeCapability(setting: GitContext): Capability {
  return defineCapability({
    name: `${setting.name}.merge`,
    version: 1,
    summary: "Merge a branch into another with a merge commit",
    effect: "write",
    idempotency: "probe",
    input: mergeInput,
    output: newCommitOutput,
    timeout: "60s",
    locks: () => listRepositoryLocks(setting),
    preview: (input, world) =>
      withRepository(setting, { to: "look", signal: world.signal }, (repository) =>
        previewMerge(repository, input, world),
      ),
    apply: (input, world) =>
      withRepository(setting, { to: "write", signal: world.signal }, (repository) => {
        const basis = parseApprovedBasis(newCommitBasis, world.basis);
        return commitToBranch(repository, toNewCommit(setting, input, basis, world), world, async () => {
          if ((await resolveCommit(repository, input.from)) !== basis.parents[1])
            throw refChangedFault(input.from);
          return writeMergedTree(repository, basis.parents[0]!, basis.parents[1]!);
        });
      }),
    probe: (input, world) =>
      runGitProbe(() =>
        withRepository(setting, { to: "write", signal: world.signal }, (repository) =>
          probeNewCommit(
            repository,
            toNewCommit(setting, input, parseApprovedBasis(newCommitBasis, world.basis), world),
            world,
          ),
        ),
      ),
    undo: (_, { commit, branch }) => ({
      capability: `${setting.name}.revert`,
      input: { commit, branch, mainline: 1 },
    }),
  });
}

/** [P3] Previews a merge, which it makes in the call's own folder. */
async function previewMerge(
  repository: Repository,
  input: MergeInput,
  world: ExecutionContext,
): Promise<Preview> {
  const into = await readBranchTip(repository, input.into);
  const from = await resolveCommit(repository, input.from);
  await requireIdleBranch(repository, into.ref);
  const merged = await listCommits(repository, [from, `^${into.commit}`], { max: maxCommits + 1 });
  if (merged.length === 0) {
    throw new CapabilityError(
      "permanent",
      "already-merged",
      `Everything in ${formatName(input.from)} is in \`${into.branch}\` already.`,
    );
  }
  const tree = await writeMergedTree(repository, into.commit, from);
  const basis = { ref: into.ref, parents: [into.commit, from], tree };
  const landing = toNewCommit(repository.context, input, basis, world);
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
  setting: GitContext,
  input: MergeInput,
  basis: NewCommitBasis,
  world: ExecutionContext,
): NewCommit {
  const into = basis.ref.replace("refs/heads/", "");
  const message = normalizeMessage(input.message ?? `Merge ${input.from} into ${into}`);
  return {
    ...basis,
    message: withTrailer(message, world, setting.trailer),
    author: setting.author,
    updates: "both",
    verb: "merge",
  };
}

type MergeInput = z.output<typeof mergeInput>;

const maxCommits = 50;

const mergeInput = z.strictObject({
  from: revisionInput,
  into: refNameInput
    .optional()
    .describe("the branch that takes it in: the one that is checked out unless said"),
  message: messageInput.optional(),
});
