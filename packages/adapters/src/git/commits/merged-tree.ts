import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { formatName } from "../../format-text.ts";
import type { GitOptions, Repository } from "../repository/repository.ts";
import { toIdentEnvironment } from "./ident.ts";

/** Merges two commits into a tree without a worktree. For a conflict, it throws an error that names the files. */
export async function writeMergedTree(
  repository: Repository,
  ours: string,
  theirs: string,
  env: GitOptions["env"] = {},
): Promise<string> {
  const { exitCode, stdout } = await repository.git(
    ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs],
    { what: "Merging", allow: [1], env },
  );
  const [tree, ...paths] = stdout.toString("utf8").split("\0").filter(Boolean);
  if (exitCode === 0) return tree!.trim();
  const named = paths.slice(0, 10).map(formatName).join(", ");
  throw new CapabilityError(
    "permanent",
    "conflict",
    `Git cannot combine the changes automatically. Conflicts: ${named}${paths.length > 10 ? " and more" : ""}. Resolve the conflicts with git on the command line.`,
  );
}

/**
 * Returns the tree that results when the change from `base` to `theirs` is applied to `ours`. The three trees need no
 * common history. Git merges only commits with a common history, so the function creates temporary commits in the
 * call's own folder.
 */
export async function writeAppliedTree(
  repository: Repository,
  { base, ours, theirs }: { base: string; ours: string; theirs: string },
): Promise<string> {
  const own = join(repository.folder, "objects");
  const commitTree = async (tree: string, parent?: string): Promise<string> => {
    const { stdout } = await repository.git(
      ["commit-tree", ...(parent === undefined ? [] : ["-p", parent]), "-m", "delegate", tree],
      {
        env: {
          ...toIdentEnvironment(placeholderIdent, placeholderIdent),
          ...fixedDates,
          GIT_OBJECT_DIRECTORY: own,
        },
      },
    );
    return stdout.toString("utf8").trim();
  };
  const root = await commitTree(base);
  const [left, right] = [await commitTree(ours, root), await commitTree(theirs, root)];
  return writeMergedTree(repository, left, right, { GIT_ALTERNATE_OBJECT_DIRECTORIES: own });
}

const placeholderIdent = { name: "nobody", email: "nobody@invalid" };
const fixedDates = { GIT_AUTHOR_DATE: "@1 +0000", GIT_COMMITTER_DATE: "@1 +0000" };
