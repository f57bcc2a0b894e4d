import { createHash } from "node:crypto";
import type { JsonObject } from "@paraph/core";
import { mailFault } from "../connection/mail-fault.ts";
import type { MailContext } from "../context.ts";
import type { Recipients } from "../messages/address.ts";

/** A message that a call creates, before it is encoded. */
export interface OutgoingMessage extends Recipients {
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly OutgoingAttachment[];
  /** The Message-ID of the message that this message answers. */
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
}

export interface OutgoingAttachment {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

/** An encoded message. */
export interface EncodedMessage {
  /** The bytes for the recipients. */
  readonly sent: Buffer;
  /** The bytes for the sender's own folder, which also name the recipients in `bcc`. */
  readonly kept: Buffer;
}

/** Encodes a message. The headers cannot contain line breaks, because the schemas of the inputs exclude them. */
export async function encodeMessage(
  { config }: Pick<MailContext, "config">,
  messageId: string,
  { to, cc, bcc, subject, text, attachments, inReplyTo, references = [] }: OutgoingMessage,
): Promise<EncodedMessage> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const composer = new MailComposer({
    messageId,
    from: { name: config.name ?? "", address: config.address },
    to: [...to],
    cc: [...cc],
    subject,
    text,
    ...(inReplyTo !== undefined && { inReplyTo, references: [...references] }),
    attachments: attachments.map(({ name, type, content }) => ({
      filename: name,
      contentType: type,
      contentDisposition: "attachment",
      content,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const sent = await composer.compile().build();
  if (sent.length > config.maxBytes)
    throw mailFault(
      "permanent",
      "message-too-large",
      `The message has ${sent.length} bytes. The maximum is ${config.maxBytes} bytes (\`maxBytes\`).`,
    );
  const kept = bcc.length === 0 ? sent : Buffer.concat([Buffer.from(`Bcc: ${bcc.join(",\r\n ")}\r\n`), sent]);
  return { sent, kept };
}

/** Describes an attachment by its name, size and digest. The preview contains no content. */
export function describeAttachment({ name, type, content }: OutgoingAttachment): JsonObject {
  return { name, type, bytes: content.length, sha256: hashContent(content) };
}

export function hashContent(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}
