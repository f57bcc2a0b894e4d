import { type Capability, CapabilityError, defineCapability } from "@paraph/core";
import { z } from "zod";
import { approved } from "./basis.ts";
import { demandExpected, expectInput } from "./expected.ts";
import { probing } from "./probing.ts";
import { changeRef, probeRef, refBasis } from "./ref-change.ts";
import { demandName, nameInput } from "./ref-name.ts";
import { inRepository } from "./repository.ts";
import { oidOf } from "./revision.ts";
import { lockOf, type Setting } from "./setting.ts";
import { short } from "./words.ts";

export function deleteTags(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.tag_delete`,
    version: 1,
    summary: "Delete a tag",
    effect: "destroy",
    idempotency: "probe",
    input: tagInput,
    output: tagOutput,
    locks: () => lockOf(setting),
    preview: ({ name, expect }, { signal }) =>
      inRepository(setting, { to: "look", signal }, async (repository) => {
        const ref = `refs/tags/${demandName(name, "tag")}`;
        const object = await oidOf(repository, ref);
        if (object === null)
          throw new CapabilityError("permanent", "tag-unknown", `There is no tag \`${name}\`.`);
        demandExpected(name, object, expect);
        return {
          changes: [
            { kind: "delete", target: name, summary: `Tag deleted at ${short(object)}`, details: { object } },
          ],
          basis: { ref, from: object, to: null },
        };
      }),
    apply: ({ name }, world) =>
      inRepository(setting, { to: "write", signal: world.signal }, async (repository) => {
        const { from } = approved(refBasis, world.basis);
        await changeRef(repository, "tag deleted", world);
        return { name, object: from! };
      }),
    probe: ({ name }, world) =>
      probing(() =>
        inRepository(setting, { to: "write", signal: world.signal }, (repository) =>
          probeRef(repository, world, ({ from }) => ({ name, object: from })),
        ),
      ),
    undo: ({ name }, { object }) => ({
      capability: `${setting.name}.tag_create`,
      input: { name, at: object },
    }),
  });
}

const tagInput = z.strictObject({ name: nameInput, expect: expectInput });

const tagOutput = z.object({ name: z.string(), object: z.string() });
