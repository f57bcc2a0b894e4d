import { type Capability, defineCapability, type JsonObject, type Undo } from "@paraph/core";
import { z } from "zod";
import type { ImapSession } from "../connection/imap-session.ts";
import { withImap } from "../connection/with-imap.ts";
import type { MailContext } from "../context.ts";
import { listRecipients } from "../messages/address.ts";
import { createMessageId } from "../messages/message-id.ts";
import { deliver, probeDelivery, probeDraft, saveDraft } from "../outgoing/deliver.ts";
import { findNewRecipients } from "../outgoing/known-recipients.ts";
import { encodeMessage, type OutgoingMessage } from "../outgoing/outgoing-message.ts";
import { describeMessage, formatRecipients } from "../outgoing/preview-message.ts";
import { requireRecipients } from "./outgoing-input.ts";
import { requireSameBasis } from "./same-basis.ts";

/** The message that a call creates, and the state that it depends on. */
export interface PreparedMessage {
  readonly message: OutgoingMessage;
  readonly basis: JsonObject;
}

interface OutgoingDefinition<I extends z.ZodType> {
  readonly verb: string;
  readonly summary: string;
  readonly input: I;
  /** Creates the message from the input and the mailbox. Equal inputs and mailboxes give equal messages. */
  readonly prepare: (input: z.output<I>, session: ImapSession) => Promise<PreparedMessage>;
  /** Whether the message is sent, or stays in the drafts. */
  readonly kind: "send" | "create";
  /** The sensitive fields. By default, the text and the attachments stay out of notices, and reviewers reveal them. */
  readonly sensitive?: readonly string[];
  readonly undo?: (output: OutgoingOutput) => Undo | undefined;
}

const outgoingOutput = z.object({
  messageId: z.string().describe("the Message-ID of the new message"),
  message: z.string().optional().describe("reference for other calls; absent if the server did not tell it"),
  rejected: z
    .array(z.string())
    .optional()
    .describe("recipients that the SMTP server refused while it accepted the others; unknown after a crash"),
});

type OutgoingOutput = z.output<typeof outgoingOutput>;

/** Creates a capability that creates a message: it sends the message, or keeps it as a draft. */
export function createOutgoingCapability<I extends z.ZodType>(
  mail: MailContext,
  {
    verb,
    summary,
    input,
    prepare,
    kind,
    sensitive = ["text", "attachments.content"],
    undo,
  }: OutgoingDefinition<I>,
): Capability {
  const { config } = mail;
  const prepareChecked = async (given: z.output<I>, session: ImapSession): Promise<PreparedMessage> => {
    const { message, basis } = await prepare(given, session);
    requireRecipients(message, kind, config.maxRecipients);
    return { message, basis: { from: config.address, ...basis } };
  };
  return defineCapability<I, typeof outgoingOutput>({
    name: `${mail.name}.${verb}`,
    version: 1,
    summary,
    effect: "write",
    ...(kind === "create" && { risk: "low" }),
    idempotency: "probe",
    input,
    output: outgoingOutput,
    sensitive,
    timeout: config.timeout,
    headline: (_, preview) => toHeadline(kind, summary, preview?.changes[0]?.details),
    preview: (given, context) =>
      withImap(mail, context, async (session) => {
        const { message, basis } = await prepareChecked(given, session);
        await encodeMessage(mail, createMessageId(context.key, config.address), message);
        const folders = await session.findFolders(config.folders);
        const fresh = await findNewRecipients(session, folders.sent, listRecipients(message));
        return { changes: [describeMessage(mail, kind, message, fresh)], basis };
      }),
    apply: (given, context) =>
      withImap(mail, context, async (session) => {
        const { message, basis } = await prepareChecked(given, session);
        requireSameBasis(context, basis);
        const { rejected, ...rest } = await (kind === "send" ? deliver : saveDraft)(
          mail,
          session,
          message,
          context,
        );
        return { ...rest, ...(rejected !== undefined && { rejected: [...rejected] }) };
      }),
    probe: (_, context) => (kind === "send" ? probeDelivery : probeDraft)(mail, context),
    ...(undo && { undo: (_, output) => undo(output) }),
  });
}

/** Composes the headline from the preview. The text of the message is never in it. */
function toHeadline(kind: "send" | "create", summary: string, details: JsonObject = {}): string {
  const {
    subject,
    to = [],
    cc = [],
    bcc = [],
  } = details as Partial<Record<"to" | "cc" | "bcc", readonly string[]>> & { readonly subject?: string };
  if (subject === undefined) return summary;
  const verb = kind === "send" ? "Send" : "Draft";
  return `${verb} “${subject}” to ${formatRecipients([...to, ...cc, ...bcc])}`;
}
