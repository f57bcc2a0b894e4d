import { CapabilityError, type Change } from "@paraph/core";
import { formatCount } from "../../format-text.ts";
import { toCommitChanges } from "../commits/commit-changes.ts";
import { listCommits } from "../commits/commits.ts";
import { readTreeDiff, toDiffChanges } from "../commits/tree-diff.ts";
import { shortenId } from "../format.ts";
import type { Repository } from "../repository/repository.ts";
import type { PushBasis } from "./push-basis.ts";

/** Lists what the remote would gain: the files with their diff from the common base, and the commits. */
export async function listPushChanges(
  repository: Repository,
  { ref, from, to }: PushBasis & { to: string },
  /** The tips of all branches of the remote. */
  there: readonly string[],
  remote: string,
): Promise<Change[]> {
  const known = await listKnownCommits(repository, there);
  const commits = await listCommits(repository, [to, ...known.map((oid) => `^${oid}`)], {
    max: maxCommits + 1,
  });
  const base =
    (from !== null && known.includes(from) ? from : undefined) ??
    (await findMergeBase(repository, to, known));
  const branch = ref.replace("refs/heads/", "");
  const many =
    commits.length > maxCommits ? `more than ${maxCommits} commits` : formatCount(commits.length, "commit");
  const first = {
    kind: from === null ? "create" : "update",
    target: `${remote}/${branch}`,
    summary: `${from === null ? `New branch at ${shortenId(to)}` : `${shortenId(from)} → ${shortenId(to)}`}, ${many}`,
    details: { from, to },
  } as const;
  const difference = await readTreeDiff(repository, [base ?? getEmptyTreeLike(to), to]);
  const [head, ...files] = toDiffChanges(first, difference);
  const isCut = commits.length > maxCommits;
  return [
    { ...head!, ...(isCut && { incomplete: true as const }) },
    ...files,
    ...toCommitChanges(commits.slice(0, maxCommits)),
  ];
}

/** Returns the given commits that the repository contains. Git cannot compare other commits. */
export async function listKnownCommits(repository: Repository, oids: readonly string[]): Promise<string[]> {
  const { stdout } = await repository.git(["cat-file", "--batch-check"], {
    stdin: oids.map((oid) => `${oid}\n`).join(""),
  });
  const lines = stdout.toString("utf8").split("\n");
  return [...new Set(lines.flatMap((line) => (/ commit \d+$/.test(line) ? [line.split(" ")[0]!] : [])))];
}

export function fetchFirstFault(branch: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "fetch-first",
    `The remote has commits on \`${branch}\` that the local repository does not have. Fetch and merge them first.`,
  );
}

async function findMergeBase(
  repository: Repository,
  to: string,
  known: readonly string[],
): Promise<string | undefined> {
  if (known.length === 0) return undefined;
  const { exitCode, stdout } = await repository.git(["merge-base", to, ...known.slice(0, 500)], {
    allow: [1],
  });
  return exitCode === 0 ? stdout.toString("utf8").trim().split("\n")[0] : undefined;
}

/** Returns the id of the empty tree, in SHA-1 or SHA-256. Git knows this tree in every repository. */
function getEmptyTreeLike({ length }: string): string {
  return length === 40
    ? "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    : "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
}

const maxCommits = 500;
