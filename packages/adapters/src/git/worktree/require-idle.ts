import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { formatName } from "../../format-text.ts";
import { readSmallFile } from "../repository/layout.ts";
import type { Repository } from "../repository/repository.ts";

/**
 * Rejects a branch that another worktree has checked out, or that has a merge, rebase or similar operation in progress.
 */
export async function requireIdleBranch(
  { context, gitFolder, head }: Repository,
  ref: string,
): Promise<void> {
  const worktrees = await readdir(join(gitFolder, "worktrees")).catch(() => []);
  for (const name of worktrees) {
    const theirs = (await readSmallFile(context.root, `worktrees/${name}/HEAD`))?.toString("utf8").trim();
    if (theirs === `ref: ${ref}`) {
      throw new CapabilityError(
        "permanent",
        "checked-out-elsewhere",
        `${formatName(ref)} is checked out in another worktree. Check out another branch there first.`,
      );
    }
  }
  if (head.kind !== "branch" || head.ref !== ref) return;
  for (const name of inProgressFiles) {
    const there = await lstat(join(gitFolder, name)).then(
      () => true,
      () => false,
    );
    if (!there) continue;
    throw new CapabilityError(
      "permanent",
      "half-done",
      `Another git operation on ${formatName(ref)} is in progress (\`${name}\`). Finish or abort it first.`,
    );
  }
}

const inProgressFiles = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
