import { type Capability, defineCapability, type ExecutionContext, type Probe } from "@paraph/core";
import { z } from "zod";
import { approved, basisMoved } from "./basis.ts";
import { commitAt } from "./commits.ts";
import { demandFree } from "./free-name.ts";
import { messageInput, messageOf, subjectOf } from "./message.ts";
import { moveRef } from "./move-ref.ts";
import { probing } from "./probing.ts";
import { clearStaleLock } from "./ref-lock.ts";
import { demandName, nameInput } from "./ref-name.ts";
import { inRepository, type Repository } from "./repository.ts";
import { commitOf, oidOf, revisionInput } from "./revision.ts";
import { lockOf, notStopped, type Setting } from "./setting.ts";
import { isTag, targetOf, writtenTag } from "./tag-object.ts";
import { plain, short } from "./words.ts";

export function createTags(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.tag_create`,
    version: 1,
    summary: "Make a tag, with a message or without",
    effect: "write",
    idempotency: "probe",
    input: tagInput,
    output: tagOutput,
    locks: () => lockOf(setting),
    preview: ({ name, at, message }, { signal }) =>
      inRepository(setting, { to: "look", signal }, async (repository) => {
        const ref = `refs/tags/${demandName(name, "tag")}`;
        await demandFree(repository, ref);
        const target =
          message === undefined ? await targetOf(repository, at) : await commitOf(repository, at);
        const { commit, message: said } = await commitAt(repository, await commitOf(repository, target));
        const details = { commit, ...(message !== undefined && { message: messageOf(message) }) };
        const summary = `New tag at ${short(commit)} “${plain(subjectOf(said))}”`;
        return { changes: [{ kind: "create", target: name, summary, details }], basis: { ref, target } };
      }),
    apply: (input, world) =>
      inRepository(setting, { to: "write", signal: world.signal }, (repository) =>
        make(repository, input, world),
      ),
    probe: (input, world) =>
      probing(() =>
        inRepository(setting, { to: "write", signal: world.signal }, async (repository): Promise<Probe> => {
          const found = await made(repository, input, world);
          if (found.kind !== "there") return { kind: found.kind === "free" ? "absent" : "unsure" };
          return { kind: "present", output: { name: input.name, object: found.object } };
        }),
      ),
    undo: ({ name }, { object }) => ({
      capability: `${setting.name}.tag_delete`,
      input: { name, expect: object },
    }),
  });
}

async function make(repository: Repository, input: TagInput, world: ExecutionContext): Promise<TagOutput> {
  const { ref, target } = approved(tagBasis, world.basis);
  const found = await made(repository, input, world);
  if (found.kind === "there") return { name: input.name, object: found.object };
  if (found.kind === "taken") throw basisMoved(ref);
  const { name, message } = input;
  const object =
    message === undefined
      ? target
      : await writtenTag(repository, { name, target, message: messageOf(message) });
  notStopped(world);
  await moveRef(repository, { ref, from: null, to: object, why: "new tag" }, world);
  return { name, object };
}

type Made = { readonly kind: "there"; readonly object: string } | { readonly kind: "free" | "taken" };

async function made(
  repository: Repository,
  { name, message }: TagInput,
  world: ExecutionContext,
): Promise<Made> {
  const { ref, target } = approved(tagBasis, world.basis);
  const isThis = async (oid: string) =>
    message === undefined
      ? oid === target
      : isTag(repository, oid, { name, target, message: messageOf(message) });
  await clearStaleLock(repository, ref, isThis);
  const object = await oidOf(repository, ref);
  if (object === null) return { kind: "free" };
  return (await isThis(object)) ? { kind: "there", object } : { kind: "taken" };
}

type TagInput = z.output<typeof tagInput>;
type TagOutput = z.output<typeof tagOutput>;

const tagBasis = z.object({ ref: z.string(), target: z.string() });

const tagInput = z.strictObject({
  name: nameInput,
  at: revisionInput.default("HEAD"),
  message: messageInput.optional().describe("makes it an annotated tag"),
});

const tagOutput = z.object({
  name: z.string(),
  object: z.string().describe("the commit, or the tag's own object"),
});
