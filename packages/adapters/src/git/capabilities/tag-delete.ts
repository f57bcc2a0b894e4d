import { type Capability, CapabilityError, defineCapability } from "@paraph/core";
import { z } from "zod";
import { parseApprovedBasis } from "../approved-basis.ts";
import { type GitContext, listRepositoryLocks } from "../context.ts";
import { shortenId } from "../format.ts";
import { expectInput, requireExpected } from "../refs/expected.ts";
import { changeRef, probeRef, refBasis } from "../refs/ref-change.ts";
import { refNameInput, requireRefName } from "../refs/ref-name.ts";
import { readRef } from "../refs/revision.ts";
import { withRepository } from "../repository/repository.ts";
import { runGitProbe } from "../run-probe.ts";

export function createTagDeleteCapability(gitContext: GitContext): Capability {
  return defineCapability({
    name: `${gitContext.name}.tag_delete`,
    version: 1,
    summary: "Delete a tag",
    effect: "destroy",
    idempotency: "probe",
    input: tagInput,
    output: tagOutput,
    locks: () => listRepositoryLocks(gitContext),
    preview: ({ name, expect }, { signal }) =>
      withRepository(gitContext, { to: "look", signal }, async (repository) => {
        const ref = `refs/tags/${requireRefName(name, "tag")}`;
        const object = await readRef(repository, ref);
        if (object === null)
          throw new CapabilityError("permanent", "tag-unknown", `There is no tag \`${name}\`.`);
        requireExpected(name, object, expect);
        return {
          changes: [
            {
              kind: "delete",
              target: name,
              summary: `Tag deleted at ${shortenId(object)}`,
              details: { object },
            },
          ],
          basis: { ref, from: object, to: null },
        };
      }),
    apply: ({ name }, context) =>
      withRepository(gitContext, { to: "write", signal: context.signal }, async (repository) => {
        const { from } = parseApprovedBasis(refBasis, context.basis);
        await changeRef(repository, "tag deleted", context);
        return { name, object: from! };
      }),
    probe: ({ name }, context) =>
      runGitProbe(() =>
        withRepository(gitContext, { to: "write", signal: context.signal }, (repository) =>
          probeRef(repository, context, ({ from }) => ({ name, object: from })),
        ),
      ),
    undo: ({ name }, { object }) => ({
      capability: `${gitContext.name}.tag_create`,
      input: { name, at: object },
    }),
  });
}

const tagInput = z.strictObject({ name: refNameInput, expect: expectInput });

const tagOutput = z.object({ name: z.string(), object: z.string() });
