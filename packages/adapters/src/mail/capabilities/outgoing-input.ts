import { z } from "zod";
import { mailFault } from "../connection/mail-fault.ts";
import type { MailContext } from "../context.ts";
import { addressInput, listRecipients, type Recipients, removeDuplicates } from "../messages/address.ts";
import type { OutgoingAttachment } from "../outgoing/outgoing-message.ts";

const maxTextLength = 1_000_000;

/** Excludes characters that would end a header, or reorder the line that people read. */
const subjectInput = z
  .string()
  .regex(
    /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]{1,500}$/u,
    "must be one line without control characters",
  )
  .describe("subject on one line");

export const textInput = z
  .string()
  .max(maxTextLength)
  .overwrite((text) => text.replaceAll(/\r\n?/g, "\n").toWellFormed())
  .describe("plain text of the message");

const recipientList = z.array(addressInput).max(100).default([]);

/** The fields of the inputs that create messages. */
export function createOutgoingFields({ config }: Pick<MailContext, "config">) {
  return {
    to: recipientList.describe("recipients"),
    cc: recipientList.describe("recipients of a copy"),
    bcc: recipientList.describe("recipients whom the others do not see"),
    subject: subjectInput,
    text: textInput,
    attachments: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[^\p{C}\p{Zl}\p{Zp}/\\"]{1,150}$/u, "must be a file name")
            .describe("file name"),
          type: z
            .string()
            .regex(
              /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/,
              "must be a media type",
            )
            .default("application/octet-stream")
            .describe("media type"),
          content: z
            .string()
            .max(Math.ceil(config.maxBytes / 3) * 4)
            .regex(/^[A-Za-z0-9+/]*={0,2}$/, "must be base64")
            .describe("content in base64"),
        }),
      )
      .max(20)
      .default([]),
  };
}

interface GivenAttachment {
  readonly name: string;
  readonly type: string;
  readonly content: string;
}

export function decodeAttachments(given: readonly GivenAttachment[]): OutgoingAttachment[] {
  return given.map(({ name, type, content }) => ({ name, type, content: Buffer.from(content, "base64") }));
}

/** Returns the recipients without repetitions. */
export function toRecipients({ to, cc, bcc }: Recipients): Recipients {
  return removeDuplicates({ to, cc, bcc });
}

export function requireRecipients(message: Recipients, kind: "send" | "create", max: number): void {
  const count = listRecipients(message).length;
  if (count === 0 && kind === "send")
    throw mailFault(
      "permanent",
      "recipients-invalid",
      "The message has no recipient. Name at least one in `to`.",
    );
  if (count > max)
    throw mailFault(
      "permanent",
      "recipients-invalid",
      `The message has ${count} recipients. The maximum is ${max} (\`maxRecipients\`).`,
    );
}
