import type { Repository } from "../repository/repository.ts";
import { changeIndex } from "./index-file.ts";
import { requireCleanPaths, toIndexInfo } from "./require-clean.ts";
import { listTreeChanges, type TreeChange } from "./tree-changes.ts";

/**
 * The parts to update when a checked-out branch moves. A commit updates only the index, because the worktree already
 * has the content. A merge or a revert updates both.
 */
export type WorktreeUpdate = "index" | "both";

/** Updates the index and the worktree to the new tree. If a run crashes, the next run completes the update. */
export async function updateWorktree(
  repository: Repository,
  { from, to, follows, call }: { from: string | null; to: string; follows: WorktreeUpdate; call: string },
): Promise<void> {
  const entries = await listTreeChanges(repository, from, to);
  if (entries.length === 0) return;
  if (follows === "both") await requireCleanPaths(repository, entries);
  await changeIndex(repository, call, () =>
    follows === "both" ? restoreFiles(repository, entries, to) : stageFiles(repository, entries),
  );
}

/** Checks out exactly these files with git, and removes files that the new tree does not contain. */
async function restoreFiles(
  repository: Repository,
  entries: readonly TreeChange[],
  to: string,
): Promise<void> {
  const { stdout } = await repository.git(["ls-files", "-z"]);
  const listed = new Set(stdout.toString("utf8").split("\0"));
  // Omits a file that is neither in the index nor in the new tree. Such a file is already gone, and git would reject
  // its path.
  const paths = entries
    .filter((entry) => entry.to !== null || listed.has(entry.path))
    .map(({ path }) => path);
  if (paths.length === 0) return;
  await repository.git(
    [
      ...["restore", `--source=${to}`, "--staged", "--worktree", "--no-recurse-submodules", "--quiet"],
      ...["--pathspec-from-file=-", "--pathspec-file-nul"],
    ],
    { what: "Writing the worktree", stdin: paths.map((path) => `${path}\0`).join(""), effect: true },
  );
}

async function stageFiles(repository: Repository, entries: readonly TreeChange[]): Promise<void> {
  await repository.git(["update-index", "-z", "--index-info"], {
    stdin: toIndexInfo(entries, "to"),
    effect: true,
  });
  await repository.git(["update-index", "-q", "--refresh"], { allow: "any", effect: true });
}
