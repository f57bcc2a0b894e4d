import { type Capability, defineCapability, type ExecutionContext, type Preview } from "@paraph/core";
import { z } from "zod";
import { approved, basisMoved } from "./basis.ts";
import { tipOf } from "./landing-basis.ts";
import { probing } from "./probing.ts";
import { type PushBasis, pushBasis } from "./push-basis.ts";
import { fetchFirst, knownOf, pushChanges } from "./push-preview.ts";
import { isAncestor, probePush, pushOnce } from "./pushing.ts";
import { demandName, nameInput } from "./ref-name.ts";
import { demandRemote } from "./remote.ts";
import { remoteBranches } from "./remote-refs.ts";
import type { Setting } from "./setting.ts";
import { type Linked, withRemote } from "./with-remote.ts";

/** Only ever forward: a branch that is new there, or one whose commits are all in what is pushed. */
export function pushBranches(setting: Setting): Capability {
  const linked = <T>(input: PushInput, world: ExecutionContext, body: (linked: Linked) => Promise<T>) =>
    withRemote(setting, demandRemote(setting.remotes, input.remote), { to: "look", world }, body);
  return defineCapability({
    name: `${setting.name}.push`,
    version: 1,
    summary: "Push a branch to a remote, forward only",
    effect: "write",
    idempotency: "probe",
    input: pushInput,
    output: pushOutput,
    timeout: "2m",
    locks: (input) => pushLock(setting, input.remote, input.as ?? input.branch),
    preview: (input, world) => linked(input, world, (each) => look(each, input, world)),
    apply: (input, world) =>
      linked(input, world, async (each) => {
        const basis = approved(pushBasis, world.basis);
        if (basis.url !== each.remote.url) throw basisMoved(each.remote.name);
        await demandForward(each, basis);
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
      capability: `${setting.name}.push_force`,
      input: { remote, branch, commit: former, ...(commit !== null && { expect: commit }) },
    }),
  });
}

/** [P3] The push is tried as far as it goes without one. */
async function look(linked: Linked, input: PushInput, world: ExecutionContext): Promise<Preview> {
  const { repository, remote } = linked;
  const { commit, branch } = await tipOf(repository, input.branch);
  const ref = `refs/heads/${demandName(input.as ?? branch, "branch")}`;
  const there = await remoteBranches(linked);
  const basis = { url: remote.url, ref, from: there.get(ref) ?? null, to: commit };
  await demandForward(linked, basis);
  await pushOnce(linked, basis, { dryRun: true, world });
  return { changes: await pushChanges(repository, basis, [...there.values()], remote.name), basis };
}

async function demandForward(linked: Linked, { ref, from, to }: PushBasis): Promise<void> {
  if (from === null || from === to) return;
  const known = (await knownOf(linked.repository, [from])).length > 0;
  if (!known || !(await isAncestor(linked, from, to!))) throw fetchFirst(ref.replace("refs/heads/", ""));
}

/** Local writes do not wait for a push, which goes from a commit that stays what it is. */
export function pushLock(setting: Setting, remote: string | undefined, branch: string): string[] {
  const name = remote ?? [...setting.remotes.keys()][0] ?? "";
  return [`git:${setting.name}:${name}:${branch}`];
}

export function outputOf({ remote }: Linked, { ref, from, to }: PushBasis): z.output<typeof pushOutput> {
  return { remote: remote.name, branch: ref.replace("refs/heads/", ""), commit: to, former: from };
}

type PushInput = z.output<typeof pushInput>;

const pushInput = z.strictObject({
  remote: nameInput.optional().describe("as the configuration names it; not needed where it has only one"),
  branch: nameInput,
  as: nameInput.optional().describe("its name there, if another"),
});

export const pushOutput = z.object({
  remote: z.string(),
  branch: z.string(),
  commit: z.string().nullable(),
  former: z.string().nullable().describe("what was there before; null where there was nothing"),
});
