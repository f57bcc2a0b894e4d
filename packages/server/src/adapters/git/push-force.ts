import {
  type Capability,
  CapabilityError,
  type Change,
  defineCapability,
  type ExecutionContext,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { approved, basisMoved } from "./basis.ts";
import { commitChanges } from "./commit-changes.ts";
import { commitsOf } from "./commits.ts";
import { demandExpected, expectInput } from "./expected.ts";
import { probing } from "./probing.ts";
import { demandUnprotected } from "./protection.ts";
import { outputOf, pushLock, pushOutput } from "./push.ts";
import { type PushBasis, pushBasis } from "./push-basis.ts";
import { knownOf, pushChanges } from "./push-preview.ts";
import { probePush, pushOnce } from "./pushing.ts";
import { demandName, nameInput } from "./ref-name.ts";
import { demandRemote } from "./remote.ts";
import { remoteBranches } from "./remote-refs.ts";
import { commitOf, revisionInput } from "./revision.ts";
import type { Setting } from "./setting.ts";
import { type Linked, withRemote } from "./with-remote.ts";
import { counted, short } from "./words.ts";

/** Moves a remote's branch anywhere, or takes it away: commits others rely on may be lost there. */
export function forcePushes(setting: Setting): Capability {
  const linked = <T>(input: ForceInput, world: ExecutionContext, body: (linked: Linked) => Promise<T>) =>
    withRemote(setting, demandRemote(setting.remotes, input.remote), { to: "look", world }, body);
  const name = `${setting.name}.push_force`;
  return defineCapability({
    name,
    version: 1,
    summary: "Move a remote's branch to any commit, also back, or delete it there",
    effect: "destroy",
    risk: "high",
    idempotency: "probe",
    input: forceInput,
    output: pushOutput,
    timeout: "2m",
    locks: (input) => pushLock(setting, input.remote, input.branch),
    preview: (input, world) => linked(input, world, (each) => look(each, input, world)),
    apply: (input, world) =>
      linked(input, world, async (each) => {
        const basis = approved(pushBasis, world.basis);
        demandUnprotected(setting, input.branch);
        if (basis.url !== each.remote.url) throw basisMoved(each.remote.name);
        await pushOnce(each, basis, { dryRun: false, world });
        return outputOf(each, basis);
      }),
    probe: (input, world) =>
      probing(() =>
        linked(input, world, async (each) => {
          const basis = approved(pushBasis, world.basis);
          const kind = await probePush(each, basis);
          return kind === "present" ? { kind, output: outputOf(each, basis) } : { kind };
        }),
      ),
    undo: (_, { remote, branch, commit, former }) => ({
      capability: name,
      input: { remote, branch, commit: former, ...(commit !== null && { expect: commit }) },
    }),
  });
}

async function look(linked: Linked, input: ForceInput, world: ExecutionContext): Promise<Preview> {
  const { repository, remote } = linked;
  const ref = `refs/heads/${demandName(input.branch, "branch")}`;
  demandUnprotected(repository.setting, input.branch);
  const there = await remoteBranches(linked);
  const from = there.get(ref) ?? null;
  demandExpected(input.branch, from, input.expect);
  const to = input.commit === null ? null : await commitOf(repository, input.commit);
  if (from === to) {
    throw new CapabilityError("permanent", "nothing-to-push", "The remote's branch is like this already.");
  }
  const basis = { url: remote.url, ref, from, to };
  await pushOnce(linked, basis, { dryRun: true, world });
  const others = [...there].flatMap(([each, oid]) => (each === ref ? [] : [oid]));
  const forward =
    to === null ? [] : await pushChanges(repository, { ...basis, to }, [...there.values()], remote.name);
  return { changes: [...(await lost(linked, basis, others)), ...forward], basis };
}

/** What would be on no branch of the remote any more, as far as it is known here. */
async function lost(
  { repository, remote }: Linked,
  { ref, from, to }: PushBasis,
  others: readonly string[],
): Promise<Change[]> {
  if (from === null) return [];
  const known = await knownOf(repository, [from, ...others, ...(to === null ? [] : [to])]);
  const commits = known.includes(from)
    ? await commitsOf(repository, [from, ...known.filter((oid) => oid !== from).map((oid) => `^${oid}`)], {
        most: mostCommits + 1,
      })
    : undefined;
  const many =
    commits &&
    (commits.length > mostCommits ? `more than ${mostCommits} commits` : counted(commits.length, "commit"));
  const target = `${remote.name}/${ref.replace("refs/heads/", "")}`;
  const what = to === null ? `Deleted there at ${short(from)}` : `Forced: ${short(from)} → ${short(to)}`;
  return [
    {
      kind: to === null ? "delete" : "update",
      target,
      summary: `${what}; ${many ?? "commits that are not known here"} would be on no branch there`,
      details: { from, to },
    },
    ...commitChanges((commits ?? []).slice(0, mostCommits)).map((change) => ({
      ...change,
      kind: "delete" as const,
    })),
  ];
}

type ForceInput = z.output<typeof forceInput>;

const mostCommits = 50;

const forceInput = z.strictObject({
  remote: nameInput.optional().describe("as the configuration names it; not needed where it has only one"),
  branch: nameInput.describe("the remote's branch"),
  commit: revisionInput.nullable().describe("where it goes; null deletes it there"),
  expect: expectInput,
});
