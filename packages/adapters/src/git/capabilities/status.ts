import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import type { GitContext } from "../context.ts";
import { readRef } from "../refs/revision.ts";
import { withRepository } from "../repository/repository.ts";

export function createStatusCapability(gitContext: GitContext): Capability {
  return defineCapability({
    name: `${gitContext.name}.status`,
    version: 1,
    summary: "Show the checked-out branch and the files that differ from it",
    effect: "read",
    idempotency: "natural",
    input: z.strictObject({}),
    output: statusOutput,
    apply: (_, { signal }) =>
      withRepository(gitContext, { to: "look", signal }, async (repository) => {
        const { head } = repository;
        const { stdout } = await repository.git([
          ...[
            "status",
            "--porcelain=v2",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=all",
          ],
        ]);
        const files = parseStatusFiles(stdout);
        return {
          branch: head.kind === "branch" ? head.branch : null,
          head: head.kind === "branch" ? await readRef(repository, head.ref) : head.commit,
          files: files.slice(0, maxFiles),
          more: files.length > maxFiles,
        };
      }),
  });
}

type StatusFile = z.output<typeof statusFile>;

/** Parses `1 XY … path` of a tracked file, `u XY … path` of a file in conflict, and `? path` of an untracked file. */
function parseStatusFiles(output: Buffer): StatusFile[] {
  const lines = output.toString("utf8").split("\0").filter(Boolean);
  return lines.flatMap((line): StatusFile[] => {
    if (line.startsWith("? ")) return [{ path: line.slice(2), state: "untracked" }];
    const words = line.split(" ");
    if (line.startsWith("u ")) return [{ path: words.slice(10).join(" "), state: "conflict" }];
    if (!line.startsWith("1 ")) return [];
    const [staged, worktree] = words[1]!;
    const letters = `${staged}${worktree}`;
    const state = letters.includes("D") ? "deleted" : staged === "A" ? "new" : "changed";
    return [{ path: words.slice(8).join(" "), state }];
  });
}

const maxFiles = 2_000;

const statusFile = z.object({
  path: z.string(),
  state: z.enum(["new", "changed", "deleted", "untracked", "conflict"]),
});

const statusOutput = z.object({
  branch: z.string().nullable().describe("null if no branch is checked out"),
  head: z.string().nullable().describe("null if there is no commit yet"),
  files: z.array(statusFile),
  more: z.boolean().describe("whether there are more files than listed"),
});
