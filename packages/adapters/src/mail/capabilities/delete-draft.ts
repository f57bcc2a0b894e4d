import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import type { ImapSession } from "../connection/imap-session.ts";
import { mailFault } from "../connection/mail-fault.ts";
import { withImap } from "../connection/with-imap.ts";
import type { MailContext } from "../context.ts";
import { describeFoundMessage } from "../messages/describe.ts";
import { findMessage, identifyMessage } from "../messages/find-message.ts";
import { type MessageReference, messageInput, parseReference } from "../messages/message-id.ts";
import { requireSameBasis } from "./same-basis.ts";

/**
 * Deletes a draft, and no other message. It is also the undo of a draft. IMAP marks a message as deleted and removes it
 * in two commands, so a crash can come between them. A second attempt completes the deletion.
 */
export function createDeleteDraftCapability(mail: MailContext): Capability {
  return defineCapability({
    name: `${mail.name}.delete_draft`,
    version: 1,
    summary: "Delete a draft",
    effect: "destroy",
    idempotency: "natural",
    timeout: mail.config.timeout,
    input: z.strictObject({ message: messageInput }),
    output: z.object({}),
    headline: (_, preview) => {
      const { subject } = (preview?.changes[0]?.details ?? {}) as { readonly subject?: string };
      return subject === undefined ? "Delete a draft" : `Delete the draft “${subject}”`;
    },
    preview: ({ message }, context) =>
      withImap(mail, context, async (session) => {
        const summary = await findDraft(mail, session, parseReference(message));
        return {
          changes: [
            {
              kind: "delete",
              target: summary.message,
              summary: `Delete the draft “${summary.subject}”`,
              details: describeFoundMessage(summary),
            },
          ],
          basis: identifyMessage(summary),
        };
      }),
    apply: ({ message }, context) =>
      withImap(mail, context, async (session) => {
        const reference = parseReference(message);
        session.requireUidPlus();
        if (context.attempt > 1 && (await isMissing(session, reference))) return {};
        const summary = await findDraft(mail, session, reference);
        requireSameBasis(context, identifyMessage(summary));
        await session.openFor(reference, "write");
        throwIfStopped(context);
        await session.remove(reference.uid);
        return {};
      }),
  });
}

async function findDraft({ config }: MailContext, session: ImapSession, reference: MessageReference) {
  const { drafts } = await session.findFolders(config.folders);
  const { summary } = await findMessage(session, reference);
  if (reference.folder === drafts && summary.labels.includes("draft")) return summary;
  throw mailFault("permanent", "not-a-draft", "The message is not a draft. Only drafts can be deleted.");
}

async function isMissing(session: ImapSession, reference: MessageReference): Promise<boolean> {
  await session.openFor(reference);
  return (await session.fetch(reference.uid, { flags: true })) === undefined;
}
