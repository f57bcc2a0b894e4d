import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { MailContext } from "../context.ts";
import { messageInput, parseReference } from "../messages/message-id.ts";
import { addPrefix, createReplyHeaders, readOriginal, requireReplyAddress } from "./original-message.ts";
import { createOutgoingCapability } from "./outgoing-capability.ts";
import { createOutgoingFields, decodeAttachments, toRecipients } from "./outgoing-input.ts";

/** Answers a message. The sender of the original chooses the address, so the preview shows it before anything is sent. */
export function createReplyCapability(mail: MailContext): Capability {
  const { text, attachments } = createOutgoingFields(mail);
  const own = mail.config.address.toLowerCase();
  return createOutgoingCapability(mail, {
    verb: "reply",
    summary: "Answer a message",
    kind: "send",
    input: z.strictObject({
      message: messageInput,
      all: z
        .boolean()
        .default(false)
        .describe("whether the other recipients of the message get the answer too"),
      text,
      attachments,
    }),
    prepare: async (given, session) => {
      const original = await readOriginal(session, parseReference(given.message));
      const others = given.all ? original.others.filter((address) => address.toLowerCase() !== own) : [];
      return {
        message: {
          ...toRecipients({ to: requireReplyAddress(original), cc: others, bcc: [] }),
          subject: addPrefix("Re", original),
          text: given.text,
          attachments: decodeAttachments(given.attachments),
          ...createReplyHeaders(original),
        },
        // The addresses are part of the message, which never changes under its UID.
        basis: { original: original.basis },
      };
    },
  });
}
