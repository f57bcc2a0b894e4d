import {
  type Capability,
  CapabilityError,
  type Change,
  defineCapability,
  type ExecutionContext,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { formatCount } from "../../format-text.ts";
import { parseApprovedBasis, refChangedFault } from "../approved-basis.ts";
import { toCommitChanges } from "../commits/commit-changes.ts";
import { listCommits } from "../commits/commits.ts";
import type { GitContext } from "../context.ts";
import { shortenId } from "../format.ts";
import { expectInput, requireExpected } from "../refs/expected.ts";
import { requireUnprotected } from "../refs/protection.ts";
import { refNameInput, requireRefName } from "../refs/ref-name.ts";
import { resolveCommit, revisionInput } from "../refs/revision.ts";
import { type PushBasis, pushBasis } from "../remote/push-basis.ts";
import { listKnownCommits, listPushChanges } from "../remote/push-preview.ts";
import { pushRef } from "../remote/push-ref.ts";
import { readRemoteBranches } from "../remote/remote-branches.ts";
import type { RemoteRepository } from "../remote/with-remote.ts";
import { runGitProbe } from "../run-probe.ts";
import {
  linkRemote,
  listPushLocks,
  probeApprovedPush,
  pushOutput,
  toPushOutput,
  toPushUndo,
} from "./push.ts";

/**
 * Creates the force-push capability. It moves a remote's branch to any commit or deletes the branch. Both can lose
 * commits that others need.
 */
export function createForcePushCapability(gitContext: GitContext): Capability {
  const linked = linkRemote(gitContext);
  return defineCapability({
    name: `${gitContext.name}.push_force`,
    version: 1,
    summary: "Move a remote's branch to any commit, even backwards, or delete the branch",
    effect: "destroy",
    risk: "high",
    idempotency: "probe",
    input: forceInput,
    output: pushOutput,
    timeout: "2m",
    locks: (input) => listPushLocks(gitContext, input.remote, input.branch),
    preview: (input, context) => linked(input, context, (each) => previewForcePush(each, input, context)),
    apply: (input, context) =>
      linked(input, context, async (each) => {
        const basis = parseApprovedBasis(pushBasis, context.basis);
        requireUnprotected(gitContext, input.branch);
        if (basis.url !== each.remote.url) throw refChangedFault(each.remote.name);
        await pushRef(each, basis, { dryRun: false, world: context });
        return toPushOutput(each, basis);
      }),
    probe: (input, context) =>
      runGitProbe(() => linked(input, context, (each) => probeApprovedPush(each, context))),
    undo: (_, output) => toPushUndo(gitContext, output),
  });
}

async function previewForcePush(
  linked: RemoteRepository,
  input: ForceInput,
  context: ExecutionContext,
): Promise<Preview> {
  const { repository, remote } = linked;
  const ref = `refs/heads/${requireRefName(input.branch, "branch")}`;
  requireUnprotected(repository.context, input.branch);
  const there = await readRemoteBranches(linked);
  const from = there.get(ref) ?? null;
  requireExpected(input.branch, from, input.expect);
  const to = input.commit === null ? null : await resolveCommit(repository, input.commit);
  if (from === to) {
    throw new CapabilityError(
      "permanent",
      "nothing-to-push",
      "The remote's branch is already in this state. There is nothing to push.",
    );
  }
  const basis = { url: remote.url, ref, from, to };
  await pushRef(linked, basis, { dryRun: true, world: context });
  const others = [...there].flatMap(([each, oid]) => (each === ref ? [] : [oid]));
  const forward =
    to === null ? [] : await listPushChanges(repository, { ...basis, to }, [...there.values()], remote.name);
  return { changes: [...(await listLostCommits(linked, basis, others)), ...forward], basis };
}

/**
 * Lists the commits that no branch of the remote would contain after the push. It can list only commits that the local
 * repository contains.
 */
async function listLostCommits(
  { repository, remote }: RemoteRepository,
  { ref, from, to }: PushBasis,
  others: readonly string[],
): Promise<Change[]> {
  if (from === null) return [];
  const known = await listKnownCommits(repository, [from, ...others, ...(to === null ? [] : [to])]);
  const commits = known.includes(from)
    ? await listCommits(repository, [from, ...known.filter((oid) => oid !== from).map((oid) => `^${oid}`)], {
        max: maxCommits + 1,
      })
    : undefined;
  const many =
    commits &&
    (commits.length > maxCommits ? `more than ${maxCommits} commits` : formatCount(commits.length, "commit"));
  const target = `${remote.name}/${ref.replace("refs/heads/", "")}`;
  const what =
    to === null
      ? `Deleted on the remote at ${shortenId(from)}`
      : `Forced: ${shortenId(from)} → ${shortenId(to)}`;
  return [
    {
      kind: to === null ? "delete" : "update",
      target,
      summary: `${what}; ${many ?? "commits that the local repository does not have"} would no longer be on any branch of the remote`,
      details: { from, to },
    },
    ...toCommitChanges((commits ?? []).slice(0, maxCommits)).map((change) => ({
      ...change,
      kind: "delete" as const,
    })),
  ];
}

type ForceInput = z.output<typeof forceInput>;

const maxCommits = 50;

const forceInput = z.strictObject({
  remote: refNameInput
    .optional()
    .describe("name of the remote in the configuration; optional if there is only one"),
  branch: refNameInput.describe("the remote's branch"),
  commit: revisionInput
    .nullable()
    .describe("new commit of the branch; null deletes the branch on the remote"),
  expect: expectInput,
});
