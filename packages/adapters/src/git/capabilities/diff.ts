import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { readTreeDiff } from "../commits/tree-diff.ts";
import type { GitContext } from "../context.ts";
import { resolveCommit, revisionInput } from "../refs/revision.ts";
import { withRepository } from "../repository/repository.ts";
import { requireTreePath, treePathInput } from "../tree-path.ts";

export function createDiffCapability(gitContext: GitContext): Capability {
  return defineCapability({
    name: `${gitContext.name}.diff`,
    version: 1,
    summary: "Show the differences between two commits, or between a commit and the worktree",
    effect: "read",
    idempotency: "natural",
    input: diffInput,
    output: diffOutput,
    apply: ({ from, to, paths }, { signal }) =>
      withRepository(gitContext, { to: "look", signal }, async (repository) => {
        const between = [await resolveCommit(repository, from)];
        if (to !== undefined) between.push(await resolveCommit(repository, to));
        const { files, diff, truncated } = await readTreeDiff(
          repository,
          between,
          paths.map(requireTreePath),
        );
        return {
          files: files.slice(0, maxFiles),
          diff,
          more: truncated || files.length > maxFiles,
        };
      }),
  });
}

const maxFiles = 2_000;

const diffInput = z.strictObject({
  from: revisionInput.default("HEAD"),
  to: revisionInput.optional().describe("second revision (default: the worktree, without untracked files)"),
  paths: z.array(treePathInput).max(100).default([]).describe("only these files and folders"),
});

const diffOutput = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      kind: z.enum(["create", "update", "delete"]),
      added: z.int().optional(),
      removed: z.int().optional(),
    }),
  ),
  diff: z.string().describe("unified diff"),
  more: z.boolean().describe("whether the output was truncated"),
});
