import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { requireRefName } from "../refs/ref-name.ts";
import { readRef } from "../refs/revision.ts";
import type { Repository } from "../repository/repository.ts";

/** The basis of a new commit: the branch that it extends, the commit's parents and the commit's tree. */
export const newCommitBasis = z.object({
  ref: z.string(),
  parents: z.array(z.string()),
  tree: z.string(),
});

export type NewCommitBasis = z.output<typeof newCommitBasis>;

/** Returns an existing branch by its name, or the checked-out branch if no name is given. */
export async function readBranchTip(
  repository: Repository,
  branch: string | undefined,
): Promise<{ readonly branch: string; readonly ref: string; readonly commit: string }> {
  const name = branch === undefined ? requireCurrentBranch(repository) : requireRefName(branch, "branch");
  const ref = `refs/heads/${name}`;
  const commit = await readRef(repository, ref);
  if (commit !== null) return { branch: name, ref, commit };
  throw new CapabilityError("permanent", "branch-unknown", `There is no branch \`${name}\`.`);
}

export function requireCurrentBranch({ head }: Repository): string {
  if (head.kind === "branch") return requireRefName(head.branch, "branch");
  throw new CapabilityError(
    "permanent",
    "detached",
    "No branch is checked out in the repository. Name the branch, or check one out.",
  );
}
