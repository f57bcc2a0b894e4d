import { type Capability, defineCapability, type ExecutionContext, type Preview } from "@paraph/core";
import { z } from "zod";
import { parseApprovedBasis, refChangedFault } from "../approved-basis.ts";
import { readBranchTip } from "../commits/new-commit-basis.ts";
import type { GitContext } from "../context.ts";
import { refNameInput, requireRefName } from "../refs/ref-name.ts";
import { type PushBasis, pushBasis } from "../remote/push-basis.ts";
import { fetchFirstFault, listKnownCommits, listPushChanges } from "../remote/push-preview.ts";
import { isAncestor, probePush, pushRef } from "../remote/push-ref.ts";
import { requireRemote } from "../remote/remote.ts";
import { readRemoteBranches } from "../remote/remote-branches.ts";
import { type RemoteRepository, withRemote } from "../remote/with-remote.ts";
import { runGitProbe } from "../run-probe.ts";

/**
 * Creates the push capability. It pushes only a new branch, or a branch that contains all commits of the remote's
 * branch.
 */
export function createPushCapability(gitContext: GitContext): Capability {
  const linked = linkRemote(gitContext);
  return defineCapability({
    name: `${gitContext.name}.push`,
    version: 1,
    summary: "Push a branch to a remote, fast-forward only",
    effect: "write",
    idempotency: "probe",
    input: pushInput,
    output: pushOutput,
    timeout: "2m",
    locks: (input) => listPushLocks(gitContext, input.remote, input.as ?? input.branch),
    preview: (input, context) => linked(input, context, (each) => previewPush(each, input, context)),
    apply: (input, context) =>
      linked(input, context, async (each) => {
        const basis = parseApprovedBasis(pushBasis, context.basis);
        if (basis.url !== each.remote.url) throw refChangedFault(each.remote.name);
        await requireForward(each, basis);
        await pushRef(each, basis, { dryRun: false, world: context });
        return toPushOutput(each, basis);
      }),
    probe: (input, context) =>
      runGitProbe(() => linked(input, context, (each) => probeApprovedPush(each, context))),
    headline: (_input, preview) => describePush(preview),
    undo: (_, output) => toPushUndo(gitContext, output),
  });
}

/** Returns a line that names the remote's branch, its commits and the extent of the change. */
function describePush(preview: Preview | undefined): string {
  const [first] = preview?.changes ?? [];
  return first ? `Push to ${first.target}: ${first.summary}` : "";
}

/** [P3] Previews a push with a dry run, which changes nothing on the remote. */
async function previewPush(
  linked: RemoteRepository,
  input: PushInput,
  context: ExecutionContext,
): Promise<Preview> {
  const { repository, remote } = linked;
  const { commit, branch } = await readBranchTip(repository, input.branch);
  const ref = `refs/heads/${requireRefName(input.as ?? branch, "branch")}`;
  const there = await readRemoteBranches(linked);
  const basis = { url: remote.url, ref, from: there.get(ref) ?? null, to: commit };
  await requireForward(linked, basis);
  await pushRef(linked, basis, { dryRun: true, world: context });
  return { changes: await listPushChanges(repository, basis, [...there.values()], remote.name), basis };
}

async function requireForward(linked: RemoteRepository, { ref, from, to }: PushBasis): Promise<void> {
  if (from === null || from === to) return;
  const known = (await listKnownCommits(linked.repository, [from])).length > 0;
  if (!known || !(await isAncestor(linked, from, to!))) throw fetchFirstFault(ref.replace("refs/heads/", ""));
}

/** Returns the lock of a push. Local writes do not wait for it, because a push sends a commit that does not change. */
export function listPushLocks(gitContext: GitContext, remote: string | undefined, branch: string): string[] {
  const name = remote ?? [...gitContext.remotes.keys()][0] ?? "";
  return [`git:${gitContext.name}:${name}:${branch}`];
}

/** Returns a function that runs its body with the remote that the input names. */
export function linkRemote(gitContext: GitContext) {
  return <T>(
    { remote }: { readonly remote?: string | undefined },
    context: ExecutionContext,
    body: (linked: RemoteRepository) => Promise<T>,
  ): Promise<T> =>
    withRemote(gitContext, requireRemote(gitContext.remotes, remote), { to: "look", world: context }, body);
}

/** Probes whether the approved push has moved the remote's branch. */
export async function probeApprovedPush(linked: RemoteRepository, context: ExecutionContext) {
  const basis = parseApprovedBasis(pushBasis, context.basis);
  const kind = await probePush(linked, basis);
  return kind === "present" ? { kind, output: toPushOutput(linked, basis) } : { kind };
}

/** Returns the force-push that moves the branch back. That push fails if the branch has moved in the meantime. */
export function toPushUndo(
  gitContext: GitContext,
  { remote, branch, commit, former }: z.output<typeof pushOutput>,
) {
  return {
    capability: `${gitContext.name}.push_force`,
    input: { remote, branch, commit: former, ...(commit !== null && { expect: commit }) },
  };
}

export function toPushOutput(
  { remote }: RemoteRepository,
  { ref, from, to }: PushBasis,
): z.output<typeof pushOutput> {
  return { remote: remote.name, branch: ref.replace("refs/heads/", ""), commit: to, former: from };
}

type PushInput = z.output<typeof pushInput>;

const pushInput = z.strictObject({
  remote: refNameInput
    .optional()
    .describe("name of the remote in the configuration; optional if there is only one"),
  branch: refNameInput,
  as: refNameInput.optional().describe("name of the branch on the remote (default: the same name)"),
});

export const pushOutput = z.object({
  remote: z.string(),
  branch: z.string(),
  commit: z.string().nullable(),
  former: z.string().nullable().describe("previous commit of the remote's branch; null if the branch is new"),
});
