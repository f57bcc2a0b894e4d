import { CapabilityError, type ExecutionContext, type Probe } from "@paraph/core";
import { z } from "zod";
import { basisMoved } from "./basis.ts";
import { type Commit, commitAt, commitsOf } from "./commits.ts";
import { demandPlain, entriesBetween } from "./entries.ts";
import { type Ident, identEnvironment } from "./ident.ts";
import { demandNothingInTheWay } from "./in-the-way.ts";
import { demandIndexFree } from "./index-file.ts";
import { moveRef } from "./move-ref.ts";
import { demandQuiet } from "./quiet.ts";
import { clearStaleLock } from "./ref-lock.ts";
import type { Repository } from "./repository.ts";
import { oidOf } from "./revision.ts";
import { notStopped } from "./setting.ts";
import { type Follows, settle } from "./settle.ts";

/** A commit that is to become the tip of a branch: known by everything it says, so that it is known again. */
export interface Landing {
  readonly ref: string;
  readonly parents: readonly string[];
  readonly tree: string;
  readonly message: string;
  readonly author: Ident;
  readonly follows: Follows;
  readonly verb: string;
}

/** [P7] The effect is conditional: the branch must hold what it held when it was looked at. */
export async function land(
  repository: Repository,
  landing: Landing,
  world: ExecutionContext,
  /** Makes the tree again, from the world as it is now. */
  treeNow: () => Promise<string>,
): Promise<LandedOutput> {
  const before = landing.parents[0] ?? null;
  const found = await landed(repository, landing);
  if (found.kind === "moved") throw basisMoved(landing.ref);
  if (found.kind === "there") return finished(repository, landing, found.commit, world);
  await demandQuiet(repository, landing.ref);
  if ((await treeNow()) !== landing.tree) throw basisMoved(landing.ref);
  await demandReady(repository, landing);
  if (isCheckedOut(repository, landing.ref)) await demandIndexFree(repository);
  const commit = await written(repository, landing);
  notStopped(world);
  await moveRef(repository, { ref: landing.ref, from: before, to: commit, why: landing.verb }, world);
  return finished(repository, landing, commit, world);
}

/** [P7] An attempt ended unseen: did the commit land? If so, what was left to do is done. */
export async function probeLanding(
  repository: Repository,
  landing: Landing,
  world: ExecutionContext,
): Promise<Probe> {
  const found = await landed(repository, landing);
  if (found.kind === "moved") return { kind: "unsure" };
  if (found.kind === "not-there") return { kind: "absent" };
  return { kind: "present", output: await finished(repository, landing, found.commit, world) };
}

export const landedOutput = z.object({
  commit: z.string(),
  branch: z.string(),
  parents: z.array(z.string()),
  behind: z
    .boolean()
    .describe(
      "the branch is checked out and somebody worked on one of the files meanwhile: it was left alone",
    ),
});

type LandedOutput = z.output<typeof landedOutput>;

type Landed =
  | { readonly kind: "there"; readonly commit: string }
  | { readonly kind: "not-there" }
  | { readonly kind: "moved" };

/** Somebody may have gone on from our commit meanwhile: it is looked for in all that came since. */
async function landed(repository: Repository, landing: Landing): Promise<Landed> {
  const before = landing.parents[0] ?? null;
  await clearStaleLock(repository, landing.ref, (oid) =>
    commitAt(repository, oid).then(
      (commit) => isThis(commit, landing),
      () => false,
    ),
  );
  const tip = await oidOf(repository, landing.ref);
  if (tip === before) return { kind: "not-there" };
  if (tip === null) return { kind: "moved" };
  const since = await commitsOf(repository, before === null ? [tip] : [tip, `^${before}`], {
    most: mostLookedAt,
  });
  const ours = since.find((commit) => isThis(commit, landing));
  return ours ? { kind: "there", commit: ours.commit } : { kind: "moved" };
}

function isThis(commit: Commit, { parents, tree, message, author }: Landing): boolean {
  return (
    commit.tree === tree &&
    commit.parents.join() === parents.join() &&
    commit.message.trimEnd() === message.trimEnd() &&
    commit.author.name === author.name &&
    commit.author.email === author.email
  );
}

/** [P3] Only looks. Asked before the effect, since after it there is no way back but another one. */
export async function demandReady(repository: Repository, landing: Landing): Promise<void> {
  const entries = await entriesBetween(repository, landing.parents[0] ?? null, landing.tree);
  await demandPlain(repository, entries);
  if (isCheckedOut(repository, landing.ref) && landing.follows === "both")
    await demandNothingInTheWay(repository, entries);
}

async function written(repository: Repository, { parents, tree, message, author }: Landing): Promise<string> {
  const { stdout } = await repository.git(
    ["commit-tree", ...parents.flatMap((parent) => ["-p", parent]), "-F", "-", tree],
    { what: "Writing the commit", stdin: message, env: identEnvironment(author, repository.setting.author) },
  );
  return stdout.toString("utf8").trim();
}

/** The commit is there, whatever comes now: index and worktree follow, unless they are somebody's by now. */
async function finished(
  repository: Repository,
  { ref, parents, follows }: Landing,
  commit: string,
  { call }: ExecutionContext,
): Promise<LandedOutput> {
  const output = { commit, branch: ref.replace("refs/heads/", ""), parents: [...parents], behind: false };
  if (!isCheckedOut(repository, ref)) return output;
  try {
    if ((await oidOf(repository, ref)) !== commit) return output;
    await settle(repository, { from: parents[0] ?? null, to: commit, follows, call });
    return output;
  } catch (error) {
    const said = error instanceof CapabilityError ? error : undefined;
    if (said?.code === "in-the-way") return { ...output, behind: true };
    const why = said?.message ?? "Index and worktree could not follow.";
    throw new CapabilityError("ambiguous", "not-settled", `The commit is there. ${why}`);
  }
}

function isCheckedOut({ head }: Repository, ref: string): boolean {
  return head.kind === "branch" && head.ref === ref;
}

const mostLookedAt = 5_000;
