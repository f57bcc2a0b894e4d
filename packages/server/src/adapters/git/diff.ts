import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { differenceOf } from "./difference.ts";
import { inRepository } from "./repository.ts";
import { commitOf, revisionInput } from "./revision.ts";
import type { Setting } from "./setting.ts";
import { demandPath, pathInput } from "./tree-path.ts";

export function readDiff(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.diff`,
    version: 1,
    summary: "What differs between two commits, or between a commit and the worktree",
    effect: "read",
    idempotency: "natural",
    input: diffInput,
    output: diffOutput,
    apply: ({ from, to, paths }, { signal }) =>
      inRepository(setting, { to: "look", signal }, async (repository) => {
        const between = [await commitOf(repository, from)];
        if (to !== undefined) between.push(await commitOf(repository, to));
        const { files, diff, truncated } = await differenceOf(repository, between, paths.map(demandPath));
        return {
          files: files.slice(0, mostFiles),
          diff,
          more: truncated || files.length > mostFiles,
        };
      }),
  });
}

const mostFiles = 2_000;

const diffInput = z.strictObject({
  from: revisionInput.default("HEAD"),
  to: revisionInput.optional().describe("the worktree unless said; files git does not know are not in it"),
  paths: z.array(pathInput).max(100).default([]).describe("only these files and folders"),
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
  diff: z.string().describe("unified"),
  more: z.boolean().describe("something was cut"),
});
