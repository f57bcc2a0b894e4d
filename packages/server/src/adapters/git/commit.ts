import {
  type Capability,
  CapabilityError,
  defineCapability,
  type ExecutionContext,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { approved } from "./basis.ts";
import { changesOf, differenceOf } from "./difference.ts";
import { emptyTree } from "./entries.ts";
import { identInput } from "./ident.ts";
import { demandReady, type Landing, land, landedOutput, probeLanding } from "./landing.ts";
import { currentOf, type LandingBasis, landingBasis } from "./landing-basis.ts";
import { messageInput, messageOf, subjectOf, withTrailer } from "./message.ts";
import { probing } from "./probing.ts";
import { demandQuiet } from "./quiet.ts";
import { inRepository, type Repository } from "./repository.ts";
import { oidOf } from "./revision.ts";
import { lockOf, type Setting } from "./setting.ts";
import { demandPath, pathInput } from "./tree-path.ts";
import { plain } from "./words.ts";
import { worktreeTree } from "./worktree-tree.ts";

export function commitFiles(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.commit`,
    version: 1,
    summary: "Commit files of the worktree to the branch that is checked out",
    effect: "write",
    idempotency: "probe",
    input: commitInput,
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
        return land(repository, landingOf(setting, input, basis, world), world, () =>
          worktreeTree(repository, basis.parents[0] ?? null, input.paths.map(demandPath)),
        );
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
    undo: (_, { commit, branch }) => ({ capability: `${setting.name}.revert`, input: { commit, branch } }),
  });
}

/** [P3] The files are read into a folder of our own. */
async function look(repository: Repository, input: CommitInput, world: ExecutionContext): Promise<Preview> {
  const branch = currentOf(repository);
  const ref = `refs/heads/${branch}`;
  await demandQuiet(repository, ref);
  const parent = await oidOf(repository, ref);
  const tree = await worktreeTree(repository, parent, input.paths.map(demandPath));
  const basis = { ref, parents: parent === null ? [] : [parent], tree };
  const landing = landingOf(repository.setting, input, basis, world);
  await demandReady(repository, landing);
  const difference = await differenceOf(repository, [parent ?? emptyTree(repository), tree]);
  if (difference.files.length === 0) {
    throw new CapabilityError(
      "permanent",
      "nothing-to-commit",
      `These files are on \`${branch}\` already as they are.`,
    );
  }
  const { message, author } = landing;
  const change = {
    kind: parent === null ? "create" : "update",
    target: branch,
    summary: `Commit “${plain(subjectOf(message))}” to ${branch}`,
    details: { message, author, parent, tree },
  } as const;
  return { changes: changesOf(change, difference), basis };
}

function landingOf(
  setting: Setting,
  input: CommitInput,
  basis: LandingBasis,
  world: ExecutionContext,
): Landing {
  return {
    ...basis,
    message: withTrailer(messageOf(input.message), world, setting.trailer),
    author: input.author ?? setting.author,
    follows: "index",
    verb: "commit",
  };
}

type CommitInput = z.output<typeof commitInput>;

const commitInput = z.strictObject({
  message: messageInput,
  paths: z
    .array(pathInput)
    .min(1)
    .max(1000)
    .describe("the files and folders whose changes are committed, new and deleted ones too"),
  author: identInput.optional().describe("who wrote it, if not who the configuration says"),
});
