import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { formatGitError } from "../repository/git-fault.ts";
import type { Repository } from "../repository/repository.ts";

/**
 * Writes the tree for a commit of the given files. It is the parent's tree with these files' current content from the
 * worktree.
 */
export async function writeWorktreeTree(
  repository: Repository,
  parent: string | null,
  paths: readonly string[],
): Promise<string> {
  const env = { GIT_INDEX_FILE: join(repository.folder, "index-commit") };
  await repository.git(parent === null ? ["read-tree", "--empty"] : ["read-tree", parent], { env });
  const ran = await repository.git(["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"], {
    env,
    what: "Reading the files",
    stdin: paths.map((path) => `${path}\0`).join(""),
    allow: [1, 128],
  });
  if (ran.exitCode !== 0) {
    const ignored = ran.exitCode === 1;
    throw new CapabilityError(
      "permanent",
      ignored ? "ignored" : "not-found",
      ignored
        ? "The repository's ignore rules exclude one of the files. Leave that file out of the call, or change the ignore rules."
        : `Check the paths, because git cannot find or read one of the files.${formatGitError(ran)}`,
    );
  }
  const { stdout } = await repository.git(["write-tree"], { env });
  return stdout.toString("utf8").trim();
}
