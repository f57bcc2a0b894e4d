import type { Capability } from "@paraph/core";
import { z } from "zod";
import { mailFault, messageMissingFault } from "../connection/mail-fault.ts";
import type { MailContext } from "../context.ts";
import { messageInput, parseReference } from "../messages/message-id.ts";
import { hashContent } from "../outgoing/outgoing-message.ts";
import { addPrefix, readOriginal } from "./original-message.ts";
import { createOutgoingCapability } from "./outgoing-capability.ts";
import { createOutgoingFields, decodeAttachments, toRecipients } from "./outgoing-input.ts";

/** Forwards a message unchanged, as an attachment. The basis has its digest. */
export function createForwardCapability(mail: MailContext): Capability {
  const { to, cc, bcc, text, attachments } = createOutgoingFields(mail);
  return createOutgoingCapability(mail, {
    verb: "forward",
    summary: "Forward a message",
    kind: "send",
    input: z.strictObject({ message: messageInput, to, cc, bcc, text: text.default(""), attachments }),
    prepare: async ({ message, text: written, attachments: added, ...recipients }, session) => {
      const reference = parseReference(message);
      const original = await readOriginal(session, reference);
      const { maxBytes } = mail.config;
      if (original.summary.bytes > maxBytes)
        throw mailFault(
          "permanent",
          "message-too-large",
          `The message has ${original.summary.bytes} bytes. The maximum is ${maxBytes} bytes (\`maxBytes\`).`,
        );
      const found = await session.fetch(reference.uid, { source: { start: 0, maxLength: maxBytes } });
      if (!found?.source) throw messageMissingFault();
      return {
        message: {
          ...toRecipients(recipients),
          subject: addPrefix("Fwd", original),
          text: written,
          attachments: [
            { name: "forwarded.eml", type: "message/rfc822", content: found.source },
            ...decodeAttachments(added),
          ],
        },
        basis: { original: { ...original.basis, sha256: hashContent(found.source) } },
      };
    },
  });
}
