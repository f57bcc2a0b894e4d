import { type Capability, defineCapability, type ExecutionContext, type Probe } from "@paraph/core";
import { z } from "zod";
import { escapeControls } from "../../format-text.ts";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { parseApprovedBasis, refChangedFault } from "../approved-basis.ts";
import { readCommit } from "../commits/commits.ts";
import { messageInput, normalizeMessage, readSubject } from "../commits/message.ts";
import { type GitContext, listRepositoryLocks } from "../context.ts";
import { shortenId } from "../format.ts";
import { requireFreeRef } from "../refs/free-ref.ts";
import { moveRef } from "../refs/move-ref.ts";
import { clearStaleLock } from "../refs/ref-lock.ts";
import { refNameInput, requireRefName } from "../refs/ref-name.ts";
import { readRef, resolveCommit, revisionInput } from "../refs/revision.ts";
import { isSameTag, resolveTagTarget, writeTag } from "../refs/tag-object.ts";
import { type Repository, withRepository } from "../repository/repository.ts";
import { runGitProbe } from "../run-probe.ts";

export function createTagCreateCapability(gitContext: GitContext): Capability {
  return defineCapability({
    name: `${gitContext.name}.tag_create`,
    version: 1,
    summary: "Create a tag, with or without a message",
    effect: "write",
    idempotency: "probe",
    input: tagInput,
    output: tagOutput,
    locks: () => listRepositoryLocks(gitContext),
    preview: ({ name, at, message }, { signal }) =>
      withRepository(gitContext, { to: "look", signal }, async (repository) => {
        const ref = `refs/tags/${requireRefName(name, "tag")}`;
        await requireFreeRef(repository, ref);
        const target =
          message === undefined
            ? await resolveTagTarget(repository, at)
            : await resolveCommit(repository, at);
        const { commit, message: said } = await readCommit(
          repository,
          await resolveCommit(repository, target),
        );
        const details = { commit, ...(message !== undefined && { message: normalizeMessage(message) }) };
        const summary = `New tag at ${shortenId(commit)} “${escapeControls(readSubject(said))}”`;
        return { changes: [{ kind: "create", target: name, summary, details }], basis: { ref, target } };
      }),
    apply: (input, context) =>
      withRepository(gitContext, { to: "write", signal: context.signal }, (repository) =>
        makeTag(repository, input, context),
      ),
    probe: (input, context) =>
      runGitProbe(() =>
        withRepository(
          gitContext,
          { to: "write", signal: context.signal },
          async (repository): Promise<Probe> => {
            const found = await findTag(repository, input, context);
            if (found.kind !== "there") return { kind: found.kind === "free" ? "absent" : "unsure" };
            return { kind: "present", output: { name: input.name, object: found.object } };
          },
        ),
      ),
    undo: ({ name }, { object }) => ({
      capability: `${gitContext.name}.tag_delete`,
      input: { name, expect: object },
    }),
  });
}

async function makeTag(
  repository: Repository,
  input: TagInput,
  context: ExecutionContext,
): Promise<TagOutput> {
  const { ref, target } = parseApprovedBasis(tagBasis, context.basis);
  const found = await findTag(repository, input, context);
  if (found.kind === "there") return { name: input.name, object: found.object };
  if (found.kind === "taken") throw refChangedFault(ref);
  const { name, message } = input;
  const object =
    message === undefined
      ? target
      : await writeTag(repository, { name, target, message: normalizeMessage(message) });
  throwIfStopped(context);
  await moveRef(repository, { ref, from: null, to: object, reason: "new tag" }, context);
  return { name, object };
}

type TagState = { readonly kind: "there"; readonly object: string } | { readonly kind: "free" | "taken" };

async function findTag(
  repository: Repository,
  { name, message }: TagInput,
  context: ExecutionContext,
): Promise<TagState> {
  const { ref, target } = parseApprovedBasis(tagBasis, context.basis);
  const isThis = async (oid: string) =>
    message === undefined
      ? oid === target
      : isSameTag(repository, oid, { name, target, message: normalizeMessage(message) });
  await clearStaleLock(repository, ref, isThis);
  const object = await readRef(repository, ref);
  if (object === null) return { kind: "free" };
  return (await isThis(object)) ? { kind: "there", object } : { kind: "taken" };
}

type TagInput = z.output<typeof tagInput>;
type TagOutput = z.output<typeof tagOutput>;

const tagBasis = z.object({ ref: z.string(), target: z.string() });

const tagInput = z.strictObject({
  name: refNameInput,
  at: revisionInput.default("HEAD"),
  message: messageInput.optional().describe("makes it an annotated tag"),
});

const tagOutput = z.object({
  name: z.string(),
  object: z.string().describe("the commit or, for an annotated tag, the tag object"),
});
