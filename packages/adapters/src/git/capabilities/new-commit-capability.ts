import {
  type Capability,
  defineCapability,
  type ExecutionContext,
  type JsonObject,
  type Preview,
} from "@paraph/core";
import type { z } from "zod";
import { parseApprovedBasis } from "../approved-basis.ts";
import { commitToBranch, type NewCommit, newCommitOutput, probeNewCommit } from "../commits/new-commit.ts";
import { type GitContext, listRepositoryLocks } from "../context.ts";
import { type Repository, withRepository } from "../repository/repository.ts";
import { runGitProbe } from "../run-probe.ts";

/** The parts that differ between the capabilities that add one commit to a branch. */
interface NewCommitDefinition<I, B> {
  readonly verb: NewCommit["verb"];
  readonly summary: string;
  readonly input: z.ZodType<I>;
  readonly basis: z.ZodType<B>;
  /** [P3] Previews the commit. It builds the tree in the call's own folder. */
  preview(repository: Repository, input: I, context: ExecutionContext): Promise<Preview>;
  toNewCommit(gitContext: GitContext, input: I, basis: B, context: ExecutionContext): NewCommit;
  /** Builds the tree again in the repository, from the input and the basis. */
  writeTree(repository: Repository, input: I, basis: B): Promise<string>;
  /** Additional input of the revert that undoes the commit. The commit and the branch are always part of the input. */
  readonly undo?: JsonObject;
}

/** Creates a capability that adds one commit to a branch. */
export function createNewCommitCapability<I, B>(
  gitContext: GitContext,
  definition: NewCommitDefinition<I, B>,
): Capability {
  const approved = (input: I, context: ExecutionContext) => {
    const basis = parseApprovedBasis(definition.basis, context.basis);
    return { basis, commit: definition.toNewCommit(gitContext, input, basis, context) };
  };
  return defineCapability({
    name: `${gitContext.name}.${definition.verb}`,
    version: 1,
    summary: definition.summary,
    effect: "write",
    idempotency: "probe",
    input: definition.input,
    output: newCommitOutput,
    timeout: "60s",
    locks: () => listRepositoryLocks(gitContext),
    preview: (input, context) =>
      withRepository(gitContext, { to: "look", signal: context.signal }, (repository) =>
        definition.preview(repository, input, context),
      ),
    apply: (input, context) =>
      withRepository(gitContext, { to: "write", signal: context.signal }, async (repository) => {
        const { basis, commit } = approved(input, context);
        return commitToBranch(repository, commit, context, () =>
          definition.writeTree(repository, input, basis),
        );
      }),
    probe: (input, context) =>
      runGitProbe(() =>
        withRepository(gitContext, { to: "write", signal: context.signal }, async (repository) =>
          probeNewCommit(repository, approved(input, context).commit, context),
        ),
      ),
    // The summary of the first change names the commit and the branch.
    headline: (_input, preview) => preview?.changes[0]?.summary ?? "",
    undo: (_, { commit, branch }) => ({
      capability: `${gitContext.name}.revert`,
      input: { commit, branch, ...definition.undo },
    }),
  });
}
