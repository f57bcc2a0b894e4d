import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { escapeControls } from "../../format-text.ts";
import { parseApprovedBasis } from "../approved-basis.ts";
import { readCommit } from "../commits/commits.ts";
import { readSubject } from "../commits/message.ts";
import { type GitContext, listRepositoryLocks } from "../context.ts";
import { shortenId } from "../format.ts";
import { requireFreeRef } from "../refs/free-ref.ts";
import { changeRef, probeRef, refBasis } from "../refs/ref-change.ts";
import { refNameInput, requireRefName } from "../refs/ref-name.ts";
import { resolveCommit, revisionInput } from "../refs/revision.ts";
import { withRepository } from "../repository/repository.ts";
import { runGitProbe } from "../run-probe.ts";

export function createBranchCreateCapability(gitContext: GitContext): Capability {
  return defineCapability({
    name: `${gitContext.name}.branch_create`,
    version: 1,
    summary: "Create a branch without checking it out",
    effect: "write",
    idempotency: "probe",
    input: createInput,
    output: createOutput,
    locks: () => listRepositoryLocks(gitContext),
    preview: ({ name, at }, { signal }) =>
      withRepository(gitContext, { to: "look", signal }, async (repository) => {
        const ref = `refs/heads/${requireRefName(name, "branch")}`;
        await requireFreeRef(repository, ref);
        const { commit, message } = await readCommit(repository, await resolveCommit(repository, at));
        const summary = `New branch at ${shortenId(commit)} “${escapeControls(readSubject(message))}”`;
        return {
          changes: [{ kind: "create", target: name, summary, details: { commit } }],
          basis: { ref, from: null, to: commit },
        };
      }),
    apply: ({ name }, context) =>
      withRepository(gitContext, { to: "write", signal: context.signal }, async (repository) => {
        const { to } = parseApprovedBasis(refBasis, context.basis);
        await changeRef(repository, "new branch", context);
        return { name, commit: to! };
      }),
    probe: ({ name }, context) =>
      runGitProbe(() =>
        withRepository(gitContext, { to: "write", signal: context.signal }, (repository) =>
          probeRef(repository, context, ({ to }) => ({ name, commit: to })),
        ),
      ),
    undo: ({ name }, { commit }) => ({
      capability: `${gitContext.name}.branch_delete`,
      input: { name, expect: commit },
    }),
  });
}

const createInput = z.strictObject({
  name: refNameInput,
  at: revisionInput.default("HEAD"),
});

const createOutput = z.object({ name: z.string(), commit: z.string() });
