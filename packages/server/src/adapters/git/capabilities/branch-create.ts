import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { parseApprovedBasis } from "../approved-basis.ts";
import { readCommit } from "../commits/commits.ts";
import { readSubject } from "../commits/message.ts";
import { type GitContext, listRepositoryLocks } from "../context.ts";
import { escapeControls, shortenId } from "../format.ts";
import { requireFreeRef } from "../refs/free-ref.ts";
import { changeRef, probeRef, refBasis } from "../refs/ref-change.ts";
import { refNameInput, requireRefName } from "../refs/ref-name.ts";
import { resolveCommit, revisionInput } from "../refs/revision.ts";
import { withRepository } from "../repository/repository.ts";
import { runGitProbe } from "../run-probe.ts";

export function createBranchCreateCapability(setting: GitContext): Capability {
  return defineCapability({
    name: `${setting.name}.branch_create`,
    version: 1,
    summary: "Make a branch; the one that is checked out stays",
    effect: "write",
    idempotency: "probe",
    input: createInput,
    output: createOutput,
    locks: () => listRepositoryLocks(setting),
    preview: ({ name, at }, { signal }) =>
      withRepository(setting, { to: "look", signal }, async (repository) => {
        const ref = `refs/heads/${requireRefName(name, "branch")}`;
        await requireFreeRef(repository, ref);
        const { commit, message } = await readCommit(repository, await resolveCommit(repository, at));
        const summary = `New branch at ${shortenId(commit)} “${escapeControls(readSubject(message))}”`;
        return {
          changes: [{ kind: "create", target: name, summary, details: { commit } }],
          basis: { ref, from: null, to: commit },
        };
      }),
    apply: ({ name }, world) =>
      withRepository(setting, { to: "write", signal: world.signal }, async (repository) => {
        const { to } = parseApprovedBasis(refBasis, world.basis);
        await changeRef(repository, "new branch", world);
        return { name, commit: to! };
      }),
    probe: ({ name }, world) =>
      runGitProbe(() =>
        withRepository(setting, { to: "write", signal: world.signal }, (repository) =>
          probeRef(repository, world, ({ to }) => ({ name, commit: to })),
        ),
      ),
    undo: ({ name }, { commit }) => ({
      capability: `${setting.name}.branch_delete`,
      input: { name, expect: commit },
    }),
  });
}

const createInput = z.strictObject({
  name: refNameInput,
  at: revisionInput.default("HEAD"),
});

const createOutput = z.object({ name: z.string(), commit: z.string() });
