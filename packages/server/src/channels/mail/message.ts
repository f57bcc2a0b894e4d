import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { ChannelMessage } from "../channel.ts";
import { buildMailDocument } from "./document.ts";
import { toReplyAddress } from "./in/reply-token.ts";
import type { MailOptions } from "./options.ts";
import { renderMailHtml } from "./render-html.ts";
import { renderMailText } from "./render-text.ts";

const maxSubjectLength = 150;

/** A mail, as nodemailer takes it. */
export type ComposedMail = ReturnType<typeof composeMail>;

/**
 * [TRUST 5] Composes the mail for nodemailer. The Message-ID derives from the notice, so that a repeated mail is recognisable.
 * Later mails about the same call refer to the first one, and have its subject while the headline stays the same, so that
 * clients show one thread. Every header is one line of visible characters.
 */
export function composeMail(
  { id, address, content, thread, answers, reply }: ChannelMessage,
  { from, name, replies, requests }: MailOptions,
) {
  const document = buildMailDocument(content, reply);
  const first = thread ? toMessageId(thread.id, from) : toReceivedId(answers?.messageId);
  const isRequest = content.kind === "mail-request";
  const replyAddress = isRequest ? requests?.address : replies?.address;
  return {
    messageId: toMessageId(id, from),
    from: { name: name ?? "Paraph", address: from },
    to: { name: "", address },
    ...(reply && replyAddress !== undefined && { replyTo: toReplyAddress(replyAddress, reply.token) }),
    subject: toSubject(answers?.subject ?? document.subject, thread !== undefined || answers !== undefined),
    ...(first !== undefined && { inReplyTo: first, references: [first] }),
    headers: {
      // Keeps other programs from answering (RFC 3834).
      "Auto-Submitted": content.kind === "answer" || isRequest ? "auto-replied" : "auto-generated",
      "X-Auto-Response-Suppress": "All",
      "List-Unsubscribe": `<${document.preferences}>`,
    },
    text: renderMailText(document),
    html: renderMailHtml(document),
    ...(document.attachment && { attachments: [document.attachment] }),
  };
}

/** Returns the subject as one line of visible characters. */
function toSubject(text: string, isReply: boolean): string {
  const subject = escapeInvisible(text).slice(0, maxSubjectLength).toWellFormed();
  return isReply && !/^re:/i.test(subject) ? `Re: ${subject}` : subject;
}

/** [TRUST 5] Returns the Message-ID of a received mail, if it can be repeated in a header. */
function toReceivedId(id: string | undefined): string | undefined {
  return id !== undefined && /^<[\x21-\x3b\x3d\x3f-\x7e]{1,250}>$/.test(id) ? id : undefined;
}

function toMessageId(notice: string, from: string): string {
  return `<${notice}@${from.slice(from.indexOf("@") + 1)}>`;
}
