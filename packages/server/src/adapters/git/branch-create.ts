import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { approved } from "./basis.ts";
import { commitAt } from "./commits.ts";
import { demandFree } from "./free-name.ts";
import { subjectOf } from "./message.ts";
import { probing } from "./probing.ts";
import { changeRef, probeRef, refBasis } from "./ref-change.ts";
import { demandName, nameInput } from "./ref-name.ts";
import { inRepository } from "./repository.ts";
import { commitOf, revisionInput } from "./revision.ts";
import { lockOf, type Setting } from "./setting.ts";
import { plain, short } from "./words.ts";

export function createBranches(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.branch_create`,
    version: 1,
    summary: "Make a branch; the one that is checked out stays",
    effect: "write",
    idempotency: "probe",
    input: createInput,
    output: createOutput,
    locks: () => lockOf(setting),
    preview: ({ name, at }, { signal }) =>
      inRepository(setting, { to: "look", signal }, async (repository) => {
        const ref = `refs/heads/${demandName(name, "branch")}`;
        await demandFree(repository, ref);
        const { commit, message } = await commitAt(repository, await commitOf(repository, at));
        const summary = `New branch at ${short(commit)} “${plain(subjectOf(message))}”`;
        return {
          changes: [{ kind: "create", target: name, summary, details: { commit } }],
          basis: { ref, from: null, to: commit },
        };
      }),
    apply: ({ name }, world) =>
      inRepository(setting, { to: "write", signal: world.signal }, async (repository) => {
        const { to } = approved(refBasis, world.basis);
        await changeRef(repository, "new branch", world);
        return { name, commit: to! };
      }),
    probe: ({ name }, world) =>
      probing(() =>
        inRepository(setting, { to: "write", signal: world.signal }, (repository) =>
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
  name: nameInput,
  at: revisionInput.default("HEAD"),
});

const createOutput = z.object({ name: z.string(), commit: z.string() });
