import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import type { ImapSession } from "../connection/imap-session.ts";
import { mailFault } from "../connection/mail-fault.ts";
import { runProbe } from "../connection/run-probe.ts";
import { withImap } from "../connection/with-imap.ts";
import type { MailContext } from "../context.ts";
import { describeFoundMessage } from "../messages/describe.ts";
import { findMessage, identifyMessage } from "../messages/find-message.ts";
import {
  formatReference,
  type MessageReference,
  messageInput,
  parseReference,
} from "../messages/message-id.ts";
import { folderInput } from "./folder-input.ts";
import { requireSameBasis } from "./same-basis.ts";

/** The state that a move depends on: the message, and its copies that the target folder already has. */
const moveBasis = z.object({
  message: z.string(),
  messageId: z.string(),
  bytes: z.int(),
  target: z.object({ uidValidity: z.string(), copies: z.array(z.int()) }),
});

export function createMoveCapability(mail: MailContext): Capability {
  const name = `${mail.name}.move`;
  return defineCapability({
    name,
    version: 1,
    summary: "Move a message to another folder",
    effect: "write",
    risk: "low",
    idempotency: "probe",
    timeout: mail.config.timeout,
    input: z.strictObject({
      message: messageInput,
      folder: folderInput.describe("the folder to move it to"),
    }),
    output: z.object({
      message: z
        .string()
        .optional()
        .describe("the message in its new folder; absent if the server did not tell it"),
      from: z.string().describe("the folder that the message was in"),
    }),
    headline: ({ folder }, preview) => {
      const { subject } = (preview?.changes[0]?.details ?? {}) as { readonly subject?: string };
      return subject === undefined ? `Move a message to ${folder}` : `Move “${subject}” to ${folder}`;
    },
    preview: ({ message, folder }, context) =>
      withImap(mail, context, async (session) => {
        const reference = parseReference(message);
        const { summary, basis } = await readMoveBasis(session, reference, folder);
        return {
          changes: [
            {
              kind: "move",
              target: `${reference.folder} → ${folder}`,
              summary: `Move “${summary.subject}” from ${reference.folder} to ${folder}`,
              details: describeFoundMessage(summary),
            },
          ],
          basis,
        };
      }),
    apply: ({ message, folder }, context) =>
      withImap(mail, context, async (session) => {
        const reference = parseReference(message);
        session.requireUidPlus();
        const { basis } = await readMoveBasis(session, reference, folder);
        requireSameBasis(context, basis);
        await session.openFor(reference, "write");
        throwIfStopped(context);
        const moved = await session.move(reference.uid, folder);
        return { ...(moved && { message: formatReference(moved) }), from: reference.folder };
      }),
    probe: ({ message, folder }, context) =>
      runProbe(mail, context, async (session) => {
        const reference = parseReference(message);
        const basis = moveBasis.safeParse(context.basis);
        await session.openFor(reference);
        if (await session.fetch(reference.uid, { flags: true })) return { kind: "absent" };
        // The message left its folder. Only a new copy in the target folder shows that this call moved it.
        if (!basis.success || basis.data.messageId === "") return { kind: "unsure" };
        const { messageId, target } = basis.data;
        const { uidValidity, uids } = await findInFolder(session, folder, messageId);
        const fresh = uids.filter((uid) => !target.copies.includes(uid));
        if (fresh.length !== 1 || uidValidity !== target.uidValidity) return { kind: "unsure" };
        const moved = formatReference({ uid: fresh[0]!, uidValidity, folder });
        return { kind: "present", output: { message: moved, from: reference.folder } };
      }),
    undo: (_, { message, from }) =>
      message === undefined ? undefined : { capability: name, input: { message, folder: from } },
  });
}

async function readMoveBasis(session: ImapSession, reference: MessageReference, folder: string) {
  if (reference.folder === folder)
    throw mailFault("permanent", "folder-invalid", "The message is already in this folder.");
  const { summary, found } = await findMessage(session, reference);
  const messageId = found.envelope?.messageId ?? "";
  const { uidValidity, uids } = await findInFolder(session, folder, messageId);
  return {
    summary,
    basis: { ...identifyMessage(summary), messageId, target: { uidValidity, copies: [...uids] } },
  };
}

/** Returns the UIDs of the messages with this Message-ID in the folder. */
async function findInFolder(session: ImapSession, folder: string, messageId: string) {
  const { uidValidity } = await session.open(folder);
  const uids = messageId === "" ? [] : await session.findByMessageId(messageId);
  return { uidValidity: String(uidValidity), uids };
}
