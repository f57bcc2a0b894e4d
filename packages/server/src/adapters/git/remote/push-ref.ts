import { CapabilityError, type ExecutionContext, type Probe } from "@paraph/core";
import { refChangedFault } from "../approved-basis.ts";
import { throwIfStopped } from "../context.ts";
import { formatName } from "../format.ts";
import { formatGitError } from "../repository/git-fault.ts";
import type { PushBasis } from "./push-basis.ts";
import { readRemoteBranches } from "./remote-branches.ts";
import { toRemoteFault } from "./remote-fault.ts";
import type { RemoteRepository } from "./with-remote.ts";

/**
 * [P7] Always with a lease on exactly what was seen, so that the effect is conditional: the remote takes it only if its
 * branch is where it was. A lease would also let a branch be moved back; whoever calls has made sure of that before.
 */
export async function pushRef(
  linked: RemoteRepository,
  { ref, from, to }: PushBasis,
  { dryRun, world }: { dryRun: boolean; world: ExecutionContext },
): Promise<void> {
  throwIfStopped(world);
  const what = dryRun ? "Trying the push" : "The push";
  const ran = await linked.run(
    [
      ...["push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed"],
      ...[`--force-with-lease=${ref}:${from ?? ""}`, ...(dryRun ? ["--dry-run"] : [])],
      ...["--end-of-options", linked.remote.url, `${to ?? ""}:${ref}`],
    ],
    { what, effect: !dryRun, allow: [1] },
  );
  if (ran.exitCode === 0) return;
  // `flag TAB from:to TAB summary (reason)`: an exclamation mark where the ref was not moved.
  const refused = /^!\t[^\t]*\t(.*)$/m.exec(ran.stdout.toString("utf8"))?.[1];
  if (refused === undefined) throw toRemoteFault(ran, what, !dryRun);
  if (/stale info|fetch first|non-fast-forward|already exists/.test(refused)) throw refChangedFault(ref);
  if (/failed to lock|cannot lock|failed to update ref/.test(refused)) {
    throw new CapabilityError(
      "not-performed",
      "remote-locked",
      "The remote is at work on this branch: it is tried again.",
    );
  }
  throw new CapabilityError(
    "permanent",
    "remote-refused",
    `The remote refused ${formatName(ref)}: ${formatName(refused.slice(0, 200))}.${formatGitError(ran)}`,
  );
}

/** [P7] An attempt ended unseen: is it there? Somebody may have gone on from what we pushed. */
export async function probePush(
  linked: RemoteRepository,
  { ref, from, to }: PushBasis,
): Promise<Probe["kind"]> {
  const now = (await readRemoteBranches(linked)).get(ref) ?? null;
  if (now === to) return "present";
  if (now === from) return "absent";
  if (now === null || to === null) return "unsure";
  return (await isAncestor(linked, to, now)) ? "present" : "unsure";
}

/** Whether the second commit has the first one in its history; a commit that is not here has not, as far as we know. */
export async function isAncestor(
  { repository }: RemoteRepository,
  first: string,
  second: string,
): Promise<boolean> {
  const { exitCode } = await repository.git(["merge-base", "--is-ancestor", first, second], {
    allow: [1, 128],
  });
  return exitCode === 0;
}
