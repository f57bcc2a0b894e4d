import {
  type Capability,
  CapabilityError,
  defineCapability,
  type ExecutionContext,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { approved } from "./basis.ts";
import { commitAt, treesOf } from "./commits.ts";
import { changesOf, differenceOf } from "./difference.ts";
import { emptyTree } from "./entries.ts";
import { demandReady, type Landing, land, landedOutput, probeLanding } from "./landing.ts";
import { landingBasis, tipOf } from "./landing-basis.ts";
import { appliedTree } from "./merged-tree.ts";
import { messageInput, messageOf, subjectOf, withTrailer } from "./message.ts";
import { probing } from "./probing.ts";
import { demandQuiet } from "./quiet.ts";
import { nameInput } from "./ref-name.ts";
import { inRepository, type Repository } from "./repository.ts";
import { commitOf, revisionInput } from "./revision.ts";
import { lockOf, type Setting } from "./setting.ts";
import { plain, short } from "./words.ts";

export function revertCommits(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.revert`,
    version: 1,
    summary: "Take back what a commit did, with a commit of its own",
    effect: "write",
    idempotency: "probe",
    input: revertInput,
    output: landedOutput,
    timeout: "60s",
    locks: () => lockOf(setting),
    preview: (input, world) =>
      inRepository(setting, { to: "look", signal: world.signal }, (repository) =>
        look(repository, input, world),
      ),
    apply: (input, world) =>
      inRepository(setting, { to: "write", signal: world.signal }, async (repository) => {
        const basis = approved(revertBasis, world.basis);
        return land(repository, landingOf(setting, input, basis, world), world, () =>
          withoutIt(repository, basis.parents[0]!, basis.commit, input.mainline),
        );
      }),
    probe: (input, world) =>
      probing(() =>
        inRepository(setting, { to: "write", signal: world.signal }, (repository) =>
          probeLanding(
            repository,
            landingOf(setting, input, approved(revertBasis, world.basis), world),
            world,
          ),
        ),
      ),
    undo: (_, { commit, branch }) => ({ capability: `${setting.name}.revert`, input: { commit, branch } }),
  });
}

/** [P3] The tree is made in a folder of our own. */
async function look(repository: Repository, input: RevertInput, world: ExecutionContext): Promise<Preview> {
  const tip = await tipOf(repository, input.branch);
  const commit = await commitOf(repository, input.commit);
  await demandQuiet(repository, tip.ref);
  const { message: reverted } = await commitAt(repository, commit);
  const tree = await withoutIt(repository, tip.commit, commit, input.mainline);
  const basis = { ref: tip.ref, parents: [tip.commit], tree, commit, subject: subjectOf(reverted) };
  const landing = landingOf(repository.setting, input, basis, world);
  await demandReady(repository, landing);
  const difference = await differenceOf(repository, [tip.commit, tree]);
  if (difference.files.length === 0) {
    throw new CapabilityError(
      "permanent",
      "nothing-to-revert",
      `What \`${short(commit)}\` did is not in \`${tip.branch}\`: there is nothing to take back.`,
    );
  }
  const change = {
    kind: "update",
    target: tip.branch,
    summary: `Take back ${short(commit)} “${plain(basis.subject)}” on ${tip.branch}`,
    details: { message: landing.message, head: tip.commit, commit, tree },
  } as const;
  return { changes: changesOf(change, difference), basis };
}

/** The branch's tree without what the commit changed since its parent. */
async function withoutIt(
  repository: Repository,
  head: string,
  commit: string,
  mainline: number | undefined,
): Promise<string> {
  const { parents, tree } = await commitAt(repository, commit);
  if (parents.length > 1 !== (mainline !== undefined) || (mainline ?? 1) > Math.max(1, parents.length)) {
    throw new CapabilityError(
      "permanent",
      "mainline-needed",
      parents.length > 1
        ? `\`${short(commit)}\` is a merge: say with \`mainline\` which of its ${parents.length} parents stays, most often 1.`
        : `\`${short(commit)}\` is no merge: send it without \`mainline\`.`,
    );
  }
  const parent = parents[(mainline ?? 1) - 1];
  const [ours, before] = await treesOf(repository, parent === undefined ? [head] : [head, parent]);
  return appliedTree(repository, {
    base: tree,
    ours: ours!,
    theirs: before ?? emptyTree(repository),
  });
}

function landingOf(
  setting: Setting,
  input: RevertInput,
  basis: RevertBasis,
  world: ExecutionContext,
): Landing {
  const { commit, subject, ...landing } = basis;
  const message = messageOf(input.message ?? `Revert "${subject}"\n\nThis reverts commit ${commit}.`);
  return {
    ...landing,
    message: withTrailer(message, world, setting.trailer),
    author: setting.author,
    follows: "both",
    verb: "revert",
  };
}

type RevertInput = z.output<typeof revertInput>;
type RevertBasis = z.output<typeof revertBasis>;

const revertBasis = landingBasis.extend({ commit: z.string(), subject: z.string() });

const revertInput = z.strictObject({
  commit: revisionInput,
  branch: nameInput.optional().describe("where it is taken back: the branch that is checked out unless said"),
  mainline: z
    .int()
    .min(1)
    .max(16)
    .optional()
    .describe("of a merge, which of its parents stays: most often 1"),
  message: messageInput.optional(),
});
