import { CapabilityError, type ExecutionContext, type Probe } from "@paraph/core";
import { formatName } from "../../format-text.ts";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { refChangedFault } from "../approved-basis.ts";
import { formatGitError } from "../repository/git-fault.ts";
import type { PushBasis } from "./push-basis.ts";
import { readRemoteBranches } from "./remote-branches.ts";
import { toRemoteFault } from "./remote-fault.ts";
import type { RemoteRepository } from "./with-remote.ts";

/**
 * [P7] Pushes with a lease on exactly the value that the preview saw. The remote rejects the push if its branch has
 * moved, so the effect is conditional. A lease also permits a push that moves the branch back. A caller that must
 * prevent such a push has to check for it first.
 */
export async function pushRef(
  linked: RemoteRepository,
  { ref, from, to }: PushBasis,
  { dryRun, world }: { dryRun: boolean; world: ExecutionContext },
): Promise<void> {
  throwIfStopped(world);
  const what = dryRun ? "The dry run of the push" : "The push";
  const ran = await linked.run(
    [
      ...["push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed"],
      ...[`--force-with-lease=${ref}:${from ?? ""}`, ...(dryRun ? ["--dry-run"] : [])],
      ...["--end-of-options", linked.remote.url, `${to ?? ""}:${ref}`],
    ],
    { what, effect: !dryRun, allow: [1] },
  );
  if (ran.exitCode === 0) return;
  // The format is `flag TAB from:to TAB summary (reason)`, where the flag `!` means that the ref was not moved.
  const refused = /^!\t[^\t]*\t(.*)$/m.exec(ran.stdout.toString("utf8"))?.[1];
  if (refused === undefined) throw toRemoteFault(ran, what, !dryRun);
  if (/stale info|fetch first|non-fast-forward|already exists/.test(refused)) throw refChangedFault(ref);
  if (/failed to lock|cannot lock|failed to update ref/.test(refused)) {
    throw new CapabilityError(
      "not-performed",
      "remote-locked",
      "The remote has locked this branch. Paraph retries the call.",
    );
  }
  throw new CapabilityError(
    "permanent",
    "remote-refused",
    `The remote refused ${formatName(ref)}: ${formatName(refused.slice(0, 200))}.${formatGitError(ran)}`,
  );
}

/** [P7] Probes whether an attempt with an unknown outcome pushed the commit. Other commits may follow it by now. */
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

/** Whether the second commit has the first in its history. It is false if the repository lacks one of them. */
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
