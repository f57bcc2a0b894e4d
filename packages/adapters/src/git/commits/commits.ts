import { z } from "zod";
import { decodeOutput } from "../format.ts";
import type { Repository } from "../repository/repository.ts";

export const commitOutput = z.object({
  commit: z.string(),
  parents: z.array(z.string()),
  author: z.object({ name: z.string(), email: z.string() }),
  date: z.string().describe("author date, RFC 3339"),
  message: z.string(),
});

export type Commit = z.output<typeof commitOutput> & {
  readonly tree: string;
  readonly committer: { readonly name: string; readonly email: string };
};

interface CommitQuery {
  readonly max: number;
  readonly paths?: readonly string[];
  /** The ref to disregard. If it is set, the list contains only commits that no other ref reaches. */
  readonly reachableBut?: string;
}

/**
 * Lists commits. `wanted` must contain only full commit ids, with `^` before the ids to exclude. The function passes
 * them to git unchecked.
 */
export async function listCommits(
  repository: Repository,
  wanted: readonly string[],
  { max, paths = [], reachableBut }: CommitQuery,
): Promise<Commit[]> {
  const { stdout } = await repository.git([
    ...[
      "log",
      "-z",
      `--format=${logFields.join("%x00")}`,
      `--max-count=${max}`,
      "--no-mailmap",
      "--no-notes",
    ],
    ...["--no-show-signature", "--no-color", "--no-patch", "--no-decorate"],
    ...[...wanted, ...(reachableBut === undefined ? [] : ["--not", `--exclude=${reachableBut}`, "--all"])],
    ...["--", ...paths],
  ]);
  const words = stdout.toString("utf8").split("\0");
  const commits: Commit[] = [];
  for (let at = 0; at + logFields.length <= words.length; at += logFields.length) {
    const [commit, tree, parents, name, email, by, byEmail, date, message] = words.slice(
      at,
      at + logFields.length,
    );
    commits.push({
      commit: commit!,
      tree: tree!,
      parents: parents!.split(" ").filter(Boolean),
      author: { name: name!, email: email! },
      committer: { name: by!, email: byEmail! },
      date: date!,
      message: decodeOutput(Buffer.from(message!)),
    });
  }
  return commits;
}

/** Reads one commit that exists. */
export async function readCommit(repository: Repository, commit: string): Promise<Commit> {
  return (await listCommits(repository, [commit], { max: 1 }))[0]!;
}

export async function readTrees(repository: Repository, commits: readonly string[]): Promise<string[]> {
  const { stdout } = await repository.git(["rev-parse", ...commits.map((commit) => `${commit}^{tree}`)]);
  return stdout.toString("utf8").trim().split("\n");
}

const logFields = ["%H", "%T", "%P", "%an", "%ae", "%cn", "%ce", "%aI", "%B"];
