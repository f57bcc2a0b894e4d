import type { Change } from "@paraph/core";
import { formatCount } from "../../format-text.ts";
import type { MailContext } from "../context.ts";
import { findUnicodeDomain, getDomain, listRecipients } from "../messages/address.ts";
import { describeAttachment, hashContent, type OutgoingMessage } from "./outgoing-message.ts";

/**
 * Returns the change that a message makes. It has everything that recipients will see except the text, which is a
 * sensitive field of the input. The digest binds the text to the preview.
 */
export function describeMessage(
  { config }: MailContext,
  kind: "send" | "create",
  message: OutgoingMessage,
  newRecipients: readonly string[],
): Change {
  const recipients = listRecipients(message);
  const domains = config.domains ?? [getDomain(config.address)];
  const outside = recipients.filter((address) => !domains.includes(getDomain(address)));
  const target = formatRecipients(recipients);
  const warnings = listWarnings(newRecipients, outside, recipients);
  const { to, cc, bcc, subject, text, attachments, inReplyTo } = message;
  return {
    kind,
    target,
    summary: [
      `${kind === "send" ? "Send" : "Draft"} “${subject}” to ${target}`,
      ...(attachments.length > 0 ? [`with ${formatCount(attachments.length, "attachment")}`] : []),
    ]
      .join(" ")
      .concat(warnings.length > 0 ? `. Warning: ${warnings.join(" ")}` : ""),
    details: {
      from: config.name === undefined ? config.address : `${config.name} <${config.address}>`,
      to: [...to],
      cc: [...cc],
      bcc: [...bcc],
      subject,
      text: {
        lines: text.split("\n").length,
        characters: text.length,
        sha256: hashContent(text),
      },
      attachments: attachments.map(describeAttachment),
      ...(inReplyTo !== undefined && { inReplyTo }),
      newRecipients: [...newRecipients],
      outsideRecipients: outside,
      warnings,
    },
  };
}

function listWarnings(
  fresh: readonly string[],
  outside: readonly string[],
  recipients: readonly string[],
): string[] {
  const lookalikes = recipients.flatMap((address) => {
    const shown = findUnicodeDomain(address);
    return shown === undefined
      ? []
      : [`The domain ${getDomain(address)} is shown as “${shown}”, and may look like another domain.`];
  });
  return [
    ...(fresh.length > 0 ? [`No message was ever sent to ${fresh.join(", ")}.`] : []),
    ...(outside.length > 0 ? [`Outside your domains: ${outside.join(", ")}.`] : []),
    ...new Set(lookalikes),
  ];
}

/** Returns the first recipient and the number of the others. */
export function formatRecipients([first = "no one", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
