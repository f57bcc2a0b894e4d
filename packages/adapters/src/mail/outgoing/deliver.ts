import { CapabilityError, type ExecutionContext, type Probe } from "@paraph/core";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import type { ImapSession, MailFolders } from "../connection/imap-session.ts";
import { mailFault } from "../connection/mail-fault.ts";
import { runProbe } from "../connection/run-probe.ts";
import { type SmtpSession, withSmtp } from "../connection/with-smtp.ts";
import type { MailContext } from "../context.ts";
import { listRecipients } from "../messages/address.ts";
import { createMessageId, formatReference, type MessageReference } from "../messages/message-id.ts";
import { type EncodedMessage, encodeMessage, type OutgoingMessage } from "./outgoing-message.ts";
import { findCopies, stageCopy } from "./staged-copy.ts";

export interface Delivered {
  readonly messageId: string;
  readonly message?: string;
  readonly rejected?: string[];
}

/**
 * [P7] Sends a message once:
 *
 * 1. Connect and log in to both servers. Until then, nothing has happened anywhere.
 * 2. Stage a copy in the folder of drafts. From now on, a probe finds the Message-ID.
 * 3. Send the message over SMTP, unless another attempt staged a copy before.
 * 4. Move the copy to the folder of sent messages. If the message was certainly not sent, delete the copy instead.
 *
 * A crash between 2 and 4 leaves the copy in the drafts. It is then unknown whether the message was sent, and no attempt
 * sends it again. Without any copy, the message was certainly not sent.
 */
export function deliver(
  mail: MailContext,
  session: ImapSession,
  message: OutgoingMessage,
  context: ExecutionContext,
): Promise<Delivered> {
  return withSmtp(mail, context, async (smtp) => {
    const messageId = createMessageId(context.key, mail.config.address);
    const encoded = await encodeMessage(mail, messageId, message);
    session.requireUidPlus();
    const folders = await session.findFolders(mail.config.folders);
    throwIfStopped(context);
    const staged = await stageCopy(session, folders, messageId, encoded.kept);
    if (staged.kind === "sent") return { messageId, message: formatReference(staged.copy) };
    const rejected = await sendStaged(
      mail,
      { session, smtp, folders, staged: staged.copy },
      message,
      encoded,
      context,
    );
    const copy = await fileCopy(session, folders, staged.copy, messageId);
    return { messageId, ...(copy && { message: formatReference(copy) }), rejected: [...rejected] };
  });
}

interface Delivery {
  readonly session: ImapSession;
  readonly smtp: SmtpSession;
  readonly folders: MailFolders;
  readonly staged: MessageReference;
}

/** Sends the message. Deletes the staged copy if the message was certainly not sent. */
async function sendStaged(
  { config }: MailContext,
  { session, smtp, folders, staged }: Delivery,
  message: OutgoingMessage,
  { sent }: EncodedMessage,
  context: ExecutionContext,
): Promise<readonly string[]> {
  try {
    throwIfStopped(context);
    return await smtp.send({ from: config.address, to: listRecipients(message) }, sent);
  } catch (error) {
    if (error instanceof CapabilityError && error.kind !== "ambiguous")
      await discardCopy(session, folders, staged).catch(() => {
        // The fault says what happened to the message. A copy that stays in the drafts only prevents another attempt.
      });
    throw error;
  }
}

async function discardCopy(
  session: ImapSession,
  { drafts }: MailFolders,
  { uid }: MessageReference,
): Promise<void> {
  await session.open(drafts, "write");
  await session.remove(uid);
}

/**
 * Moves the staged copy to the folder of sent messages. Deletes it instead if the server has kept a copy of its own. The
 * message is sent, so a failure here changes only where the copy is, and the call still succeeds.
 */
async function fileCopy(
  session: ImapSession,
  { sent, drafts }: MailFolders,
  staged: MessageReference,
  messageId: string,
): Promise<MessageReference | undefined> {
  try {
    const { uidValidity } = await session.open(sent);
    const [kept] = await session.findByMessageId(messageId);
    await session.open(drafts, "write");
    if (kept === undefined) {
      await session.removeFlags(staged.uid, ["\\Draft"]);
      return await session.move(staged.uid, sent);
    }
    await session.remove(staged.uid);
    return { uid: kept, uidValidity: String(uidValidity), folder: sent };
  } catch (error) {
    if (error instanceof CapabilityError) return undefined;
    throw error;
  }
}

/** [P7] Finds out whether an earlier attempt sent the message. */
export function probeDelivery(mail: MailContext, context: ExecutionContext): Promise<Probe> {
  return runProbe(mail, context, async (session) => {
    const messageId = createMessageId(context.key, mail.config.address);
    const folders = await session.findFolders(mail.config.folders);
    const { inSent, inDrafts } = await findCopies(session, folders, messageId);
    const [copy] = inSent;
    if (copy) return { kind: "present", output: { messageId, message: formatReference(copy) } };
    return { kind: inDrafts.length > 0 ? "unsure" : "absent" };
  });
}

/** Creates a draft, unless an earlier attempt created it. */
export async function saveDraft(
  mail: MailContext,
  session: ImapSession,
  message: OutgoingMessage,
  context: ExecutionContext,
): Promise<Delivered> {
  const messageId = createMessageId(context.key, mail.config.address);
  const { kept } = await encodeMessage(mail, messageId, message);
  session.requireUidPlus();
  const folders = await session.findFolders(mail.config.folders);
  throwIfStopped(context);
  const staged = await stageCopy(session, folders, messageId, kept);
  if (staged.kind === "staged") return { messageId, message: formatReference(staged.copy) };
  throw mailFault("permanent", "draft-sent", "The draft of this call was already sent.");
}

/** [P7] Finds out whether an earlier attempt created the draft. */
export function probeDraft(mail: MailContext, context: ExecutionContext): Promise<Probe> {
  return runProbe(mail, context, async (session) => {
    const messageId = createMessageId(context.key, mail.config.address);
    const folders = await session.findFolders(mail.config.folders);
    const { inDrafts } = await findCopies(session, folders, messageId);
    const [copy] = inDrafts;
    return copy
      ? { kind: "present", output: { messageId, message: formatReference(copy) } }
      : { kind: "absent" };
  });
}
