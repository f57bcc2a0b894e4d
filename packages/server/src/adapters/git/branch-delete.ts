import { type Capability, CapabilityError, defineCapability, type Preview } from "@paraph/core";
import { z } from "zod";
import { approved } from "./basis.ts";
import { commitChanges } from "./commit-changes.ts";
import { commitsOf } from "./commits.ts";
import { demandExpected, expectInput } from "./expected.ts";
import { tipOf } from "./landing-basis.ts";
import { probing } from "./probing.ts";
import { demandUnprotected } from "./protection.ts";
import { demandQuiet } from "./quiet.ts";
import { changeRef, probeRef, refBasis } from "./ref-change.ts";
import { nameInput } from "./ref-name.ts";
import { inRepository, type Repository } from "./repository.ts";
import { lockOf, type Setting } from "./setting.ts";
import { counted, short } from "./words.ts";

export function deleteBranches(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.branch_delete`,
    version: 1,
    summary: "Delete a branch",
    effect: "destroy",
    idempotency: "probe",
    input: deleteInput,
    output: deleteOutput,
    locks: () => lockOf(setting),
    preview: (input, { signal }) =>
      inRepository(setting, { to: "look", signal }, (repository) => look(repository, input)),
    apply: ({ name }, world) =>
      inRepository(setting, { to: "write", signal: world.signal }, async (repository) => {
        const { ref, from } = approved(refBasis, world.basis);
        demandUnprotected(setting, name);
        demandNotCheckedOut(repository, ref);
        await demandQuiet(repository, ref);
        await changeRef(repository, "branch deleted", world);
        return { name, commit: from! };
      }),
    probe: ({ name }, world) =>
      probing(() =>
        inRepository(setting, { to: "write", signal: world.signal }, (repository) =>
          probeRef(repository, world, ({ from }) => ({ name, commit: from })),
        ),
      ),
    undo: ({ name }, { commit }) => ({
      capability: `${setting.name}.branch_create`,
      input: { name, at: commit },
    }),
  });
}

/** What would be on no branch and no tag any more is listed. */
async function look(
  repository: Repository,
  { name, expect }: z.output<typeof deleteInput>,
): Promise<Preview> {
  const { ref, commit, branch } = await tipOf(repository, name);
  demandUnprotected(repository.setting, branch);
  demandNotCheckedOut(repository, ref);
  await demandQuiet(repository, ref);
  demandExpected(branch, commit, expect);
  const lost = await commitsOf(repository, [commit], { most: mostCommits + 1, reachableBut: ref });
  const only =
    lost.length === 0
      ? "all its commits are on other branches or tags"
      : `${lost.length > mostCommits ? `more than ${mostCommits} commits are` : `${counted(lost.length, "commit")} ${lost.length === 1 ? "is" : "are"}`} on no other branch or tag`;
  return {
    changes: [
      {
        kind: "delete",
        target: branch,
        summary: `Deleted at ${short(commit)}; ${only}`,
        details: { commit },
      },
      ...commitChanges(lost.slice(0, mostCommits)),
    ],
    basis: { ref, from: commit, to: null },
  };
}

function demandNotCheckedOut({ head }: Repository, ref: string): void {
  if (head.kind !== "branch" || head.ref !== ref) return;
  throw new CapabilityError(
    "permanent",
    "checked-out",
    "The branch is checked out: check another one out first.",
  );
}

const mostCommits = 50;

const deleteInput = z.strictObject({ name: nameInput, expect: expectInput });

const deleteOutput = z.object({ name: z.string(), commit: z.string() });
