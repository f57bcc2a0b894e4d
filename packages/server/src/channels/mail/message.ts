import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { ChannelMessage } from "../channel.ts";
import { buildMailDocument } from "./document.ts";
import type { MailOptions } from "./mail.ts";
import { renderMailHtml } from "./render-html.ts";
import { renderMailText } from "./render-text.ts";

const maxSubjectLength = 150;

/**
 * [TRUST 5] Composes the mail for nodemailer. The Message-ID derives from the notice, so that a repeated mail is recognisable.
 * Later mails about the same call refer to the first one, and have its subject while the headline stays the same, so that
 * clients show one thread. Every header is one line of visible characters.
 */
export function composeMail({ id, address, content, thread }: ChannelMessage, { from, name }: MailOptions) {
  const document = buildMailDocument(content);
  const subject = escapeInvisible(document.subject).slice(0, maxSubjectLength).toWellFormed();
  const first = thread && toMessageId(thread.id, from);
  return {
    messageId: toMessageId(id, from),
    from: { name: name ?? "Paraph", address: from },
    to: { name: "", address },
    subject: first === undefined ? subject : `Re: ${subject}`,
    ...(first !== undefined && { inReplyTo: first, references: [first] }),
    headers: {
      // Keeps other programs from answering (RFC 3834).
      "Auto-Submitted": "auto-generated",
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
