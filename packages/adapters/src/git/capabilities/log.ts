import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { commitOutput, listCommits } from "../commits/commits.ts";
import type { GitContext } from "../context.ts";
import { resolveCommit, revisionInput } from "../refs/revision.ts";
import { withRepository } from "../repository/repository.ts";
import { requireTreePath, treePathInput } from "../tree-path.ts";

export function createLogCapability(gitContext: GitContext): Capability {
  return defineCapability({
    name: `${gitContext.name}.log`,
    version: 1,
    summary: "List commits, newest first",
    effect: "read",
    idempotency: "natural",
    input: logInput,
    output: logOutput,
    apply: ({ of, without, paths, limit }, { signal }) =>
      withRepository(gitContext, { to: "look", signal }, async (repository) => {
        const wanted = [await resolveCommit(repository, of)];
        if (without !== undefined) wanted.push(`^${await resolveCommit(repository, without)}`);
        const commits = await listCommits(repository, wanted, {
          max: limit + 1,
          paths: paths.map(requireTreePath),
        });
        return {
          commits: commits.slice(0, limit).map(({ commit, parents, author, date, message }) => ({
            commit,
            parents,
            author,
            date,
            message: message.trimEnd().slice(0, maxMessageLength).toWellFormed(),
          })),
          more: commits.length > limit,
        };
      }),
  });
}

const maxMessageLength = 4_000;

const logInput = z.strictObject({
  of: revisionInput.default("HEAD"),
  without: revisionInput.optional().describe("exclude commits in the history of this revision"),
  paths: z
    .array(treePathInput)
    .max(100)
    .default([])
    .describe("only commits that changed these files and folders"),
  limit: z.int().min(1).max(200).default(20),
});

const logOutput = z.object({
  commits: z.array(commitOutput),
  more: z.boolean().describe("whether there are more commits than `limit`"),
});
