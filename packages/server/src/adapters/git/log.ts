import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { commitOutput, commitsOf } from "./commits.ts";
import { inRepository } from "./repository.ts";
import { commitOf, revisionInput } from "./revision.ts";
import type { Setting } from "./setting.ts";
import { demandPath, pathInput } from "./tree-path.ts";

export function readLog(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.log`,
    version: 1,
    summary: "Commits, the newest first",
    effect: "read",
    idempotency: "natural",
    input: logInput,
    output: logOutput,
    apply: ({ of, without, paths, limit }, { signal }) =>
      inRepository(setting, { to: "look", signal }, async (repository) => {
        const wanted = [await commitOf(repository, of)];
        if (without !== undefined) wanted.push(`^${await commitOf(repository, without)}`);
        const commits = await commitsOf(repository, wanted, {
          most: limit + 1,
          paths: paths.map(demandPath),
        });
        return {
          commits: commits.slice(0, limit).map(({ commit, parents, author, date, message }) => ({
            commit,
            parents,
            author,
            date,
            message: message.trimEnd().slice(0, mostMessage).toWellFormed(),
          })),
          more: commits.length > limit,
        };
      }),
  });
}

const mostMessage = 4_000;

const logInput = z.strictObject({
  of: revisionInput.default("HEAD"),
  without: revisionInput.optional().describe("leave out what this one has in its history"),
  paths: z.array(pathInput).max(100).default([]).describe("only commits that changed these"),
  limit: z.int().min(1).max(200).default(20),
});

const logOutput = z.object({
  commits: z.array(commitOutput),
  more: z.boolean().describe("there are more than were asked for"),
});
