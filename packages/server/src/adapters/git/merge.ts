import {
  type Capability,
  CapabilityError,
  defineCapability,
  type ExecutionContext,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { approved, basisMoved } from "./basis.ts";
import { commitChanges } from "./commit-changes.ts";
import { commitsOf } from "./commits.ts";
import { changesOf, differenceOf } from "./difference.ts";
import { demandReady, type Landing, land, landedOutput, probeLanding } from "./landing.ts";
import { type LandingBasis, landingBasis, tipOf } from "./landing-basis.ts";
import { mergedTree } from "./merged-tree.ts";
import { messageInput, messageOf, subjectOf, withTrailer } from "./message.ts";
import { probing } from "./probing.ts";
import { demandQuiet } from "./quiet.ts";
import { nameInput } from "./ref-name.ts";
import { inRepository, type Repository } from "./repository.ts";
import { commitOf, revisionInput } from "./revision.ts";
import { lockOf, type Setting } from "./setting.ts";
import { counted, plain, shown } from "./words.ts";

/** Always with a commit of its own, also where the branch could just be moved: that is what makes it one thing to undo. */
export function mergeBranches(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.merge`,
    version: 1,
    summary: "Merge a branch into another with a merge commit",
    effect: "write",
    idempotency: "probe",
    input: mergeInput,
    output: landedOutput,
    timeout: "60s",
    locks: () => lockOf(setting),
    preview: (input, world) =>
      inRepository(setting, { to: "look", signal: world.signal }, (repository) =>
        look(repository, input, world),
      ),
    apply: (input, world) =>
      inRepository(setting, { to: "write", signal: world.signal }, (repository) => {
        const basis = approved(landingBasis, world.basis);
        return land(repository, landingOf(setting, input, basis, world), world, async () => {
          if ((await commitOf(repository, input.from)) !== basis.parents[1]) throw basisMoved(input.from);
          return mergedTree(repository, basis.parents[0]!, basis.parents[1]!);
        });
      }),
    probe: (input, world) =>
      probing(() =>
        inRepository(setting, { to: "write", signal: world.signal }, (repository) =>
          probeLanding(
            repository,
            landingOf(setting, input, approved(landingBasis, world.basis), world),
            world,
          ),
        ),
      ),
    undo: (_, { commit, branch }) => ({
      capability: `${setting.name}.revert`,
      input: { commit, branch, mainline: 1 },
    }),
  });
}

/** [P3] The merge is made in a folder of our own. */
async function look(repository: Repository, input: MergeInput, world: ExecutionContext): Promise<Preview> {
  const into = await tipOf(repository, input.into);
  const from = await commitOf(repository, input.from);
  await demandQuiet(repository, into.ref);
  const merged = await commitsOf(repository, [from, `^${into.commit}`], { most: mostCommits + 1 });
  if (merged.length === 0) {
    throw new CapabilityError(
      "permanent",
      "already-merged",
      `Everything in ${shown(input.from)} is in \`${into.branch}\` already.`,
    );
  }
  const tree = await mergedTree(repository, into.commit, from);
  const basis = { ref: into.ref, parents: [into.commit, from], tree };
  const landing = landingOf(repository.setting, input, basis, world);
  await demandReady(repository, landing);
  const change = {
    kind: "update",
    target: into.branch,
    summary: `Merge ${plain(input.from)} into ${into.branch}, “${plain(subjectOf(landing.message))}”, ${counted(merged.length, "commit").replace(`${mostCommits + 1}`, `more than ${mostCommits}`)}`,
    details: { message: landing.message, head: into.commit, from, tree },
  } as const;
  const difference = await differenceOf(repository, [into.commit, tree]);
  return {
    changes: [...changesOf(change, difference), ...commitChanges(merged.slice(0, mostCommits))],
    basis,
  };
}

function landingOf(
  setting: Setting,
  input: MergeInput,
  basis: LandingBasis,
  world: ExecutionContext,
): Landing {
  const into = basis.ref.replace("refs/heads/", "");
  const message = messageOf(input.message ?? `Merge ${input.from} into ${into}`);
  return {
    ...basis,
    message: withTrailer(message, world, setting.trailer),
    author: setting.author,
    follows: "both",
    verb: "merge",
  };
}

type MergeInput = z.output<typeof mergeInput>;

const mostCommits = 50;

const mergeInput = z.strictObject({
  from: revisionInput,
  into: nameInput.optional().describe("the branch that takes it in: the one that is checked out unless said"),
  message: messageInput.optional(),
});
