import { type Capability, CapabilityError, defineCapability, type Preview } from "@paraph/core";
import { z } from "zod";
import { formatCount } from "../../format-text.ts";
import { parseApprovedBasis } from "../approved-basis.ts";
import { toCommitChanges } from "../commits/commit-changes.ts";
import { listCommits } from "../commits/commits.ts";
import { readBranchTip } from "../commits/new-commit-basis.ts";
import { type GitContext, listRepositoryLocks } from "../context.ts";
import { shortenId } from "../format.ts";
import { expectInput, requireExpected } from "../refs/expected.ts";
import { requireUnprotected } from "../refs/protection.ts";
import { changeRef, probeRef, refBasis } from "../refs/ref-change.ts";
import { refNameInput } from "../refs/ref-name.ts";
import { type Repository, withRepository } from "../repository/repository.ts";
import { runGitProbe } from "../run-probe.ts";
import { requireIdleBranch } from "../worktree/require-idle.ts";

export function createBranchDeleteCapability(gitContext: GitContext): Capability {
  return defineCapability({
    name: `${gitContext.name}.branch_delete`,
    version: 1,
    summary: "Delete a branch",
    effect: "destroy",
    idempotency: "probe",
    input: deleteInput,
    output: deleteOutput,
    locks: () => listRepositoryLocks(gitContext),
    preview: (input, { signal }) =>
      withRepository(gitContext, { to: "look", signal }, (repository) =>
        previewBranchDelete(repository, input),
      ),
    apply: ({ name }, context) =>
      withRepository(gitContext, { to: "write", signal: context.signal }, async (repository) => {
        const { ref, from } = parseApprovedBasis(refBasis, context.basis);
        requireUnprotected(gitContext, name);
        requireNotCheckedOut(repository, ref);
        await requireIdleBranch(repository, ref);
        await changeRef(repository, "branch deleted", context);
        return { name, commit: from! };
      }),
    probe: ({ name }, context) =>
      runGitProbe(() =>
        withRepository(gitContext, { to: "write", signal: context.signal }, (repository) =>
          probeRef(repository, context, ({ from }) => ({ name, commit: from })),
        ),
      ),
    undo: ({ name }, { commit }) => ({
      capability: `${gitContext.name}.branch_create`,
      input: { name, at: commit },
    }),
  });
}

/** Previews the deletion and lists the commits that no branch or tag would contain afterwards. */
async function previewBranchDelete(
  repository: Repository,
  { name, expect }: z.output<typeof deleteInput>,
): Promise<Preview> {
  const { ref, commit, branch } = await readBranchTip(repository, name);
  requireUnprotected(repository.context, branch);
  requireNotCheckedOut(repository, ref);
  await requireIdleBranch(repository, ref);
  requireExpected(branch, commit, expect);
  const lost = await listCommits(repository, [commit], { max: maxCommits + 1, reachableBut: ref });
  const only =
    lost.length === 0
      ? "all its commits are on other branches or tags"
      : `${lost.length > maxCommits ? `more than ${maxCommits} commits are` : `${formatCount(lost.length, "commit")} ${lost.length === 1 ? "is" : "are"}`} on no other branch or tag`;
  return {
    changes: [
      {
        kind: "delete",
        target: branch,
        summary: `Deleted at ${shortenId(commit)}; ${only}`,
        details: { commit },
      },
      ...toCommitChanges(lost.slice(0, maxCommits)),
    ],
    basis: { ref, from: commit, to: null },
  };
}

function requireNotCheckedOut({ head }: Repository, ref: string): void {
  if (head.kind !== "branch" || head.ref !== ref) return;
  throw new CapabilityError(
    "permanent",
    "checked-out",
    "The branch is checked out. Check out another branch first.",
  );
}

const maxCommits = 50;

const deleteInput = z.strictObject({ name: refNameInput, expect: expectInput });

const deleteOutput = z.object({ name: z.string(), commit: z.string() });
