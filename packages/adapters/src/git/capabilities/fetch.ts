import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { type GitContext, listRepositoryLocks } from "../context.ts";
import { refNameInput } from "../refs/ref-name.ts";
import { requireRemote } from "../remote/remote.ts";
import { withRemote } from "../remote/with-remote.ts";

/** Creates the fetch capability. It stores the remote's branches as `origin/branch` and moves no local branch. */
export function createFetchCapability(gitContext: GitContext): Capability {
  return defineCapability({
    name: `${gitContext.name}.fetch`,
    version: 1,
    summary: "Fetch a remote's branches without changing local branches",
    effect: "write",
    risk: "low",
    idempotency: "natural",
    input: fetchInput,
    output: fetchOutput,
    timeout: "5m",
    locks: () => listRepositoryLocks(gitContext),
    preview: async (input) => {
      const { name, url } = requireRemote(gitContext.remotes, input.remote);
      const summary = "The remote's current branches; local branches do not change";
      return {
        changes: [{ kind: "update", target: `${name}/*`, summary, details: { url } }],
        basis: { url },
      };
    },
    apply: (input, context) =>
      withRemote(
        gitContext,
        requireRemote(gitContext.remotes, input.remote),
        { to: "write", world: context },
        async (linked) => {
          const { repository, remote, run } = linked;
          await run(
            [
              ...[
                "fetch",
                "--quiet",
                "--no-tags",
                "--prune",
                "--no-recurse-submodules",
                "--no-auto-maintenance",
              ],
              ...[
                "--no-write-fetch-head",
                "--end-of-options",
                remote.url,
                `+refs/heads/*:refs/remotes/${remote.name}/*`,
              ],
            ],
            { what: "The fetch" },
          );
          const { stdout } = await repository.git([
            ...[
              "for-each-ref",
              "--format=%(refname:lstrip=3)%09%(objectname)",
              `refs/remotes/${remote.name}/`,
            ],
          ]);
          const lines = stdout.toString("utf8").split("\n").filter(Boolean);
          const branches = lines
            .map((line) => line.split("\t"))
            .map(([branch, commit]) => ({ branch: branch!, commit: commit! }));
          return {
            remote: remote.name,
            branches: branches.slice(0, maxBranches),
            more: branches.length > maxBranches,
          };
        },
      ),
  });
}

const maxBranches = 500;

const fetchInput = z.strictObject({
  remote: refNameInput
    .optional()
    .describe("name of the remote in the configuration; optional if there is only one"),
});

const fetchOutput = z.object({
  remote: z.string(),
  branches: z.array(z.object({ branch: z.string(), commit: z.string() })),
  more: z.boolean(),
});
