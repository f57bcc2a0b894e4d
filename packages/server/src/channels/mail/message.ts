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
  { id, address, content, thread, reply }: ChannelMessage,
  { from, name, replies }: MailOptions,
) {
  const document = buildMailDocument(content, reply);
  const subject = escapeInvisible(document.subject).slice(0, maxSubjectLength).toWellFormed();
  const first = thread && toMessageId(thread.id, from);
  return {
    messageId: toMessageId(id, from),
    from: { name: name ?? "Paraph", address: from },
    to: { name: "", address },
    ...(reply && replies && { replyTo: toReplyAddress(replies.address, reply.token) }),
    subject: first === undefined ? subject : `Re: ${subject}`,
    ...(first !== undefined && { inReplyTo: first, references: [first] }),
    headers: {
      // Keeps other programs from answering (RFC 3834).
      "Auto-Submitted": content.kind === "answer" ? "auto-replied" : "auto-generated",
      "X-Auto-Response-Suppress": "All",
      "List-Unsubscribe": `<${document.preferences}>`,
    },
    text: renderMailText(document),
    html: renderMailHtml(document),
  };
}

function toMessageId(notice: string, from: string): string {
  return `<${notice}@${from.slice(from.indexOf("@") + 1)}>`;
}
