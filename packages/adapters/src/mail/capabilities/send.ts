import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { MailContext } from "../context.ts";
import { messageInput, parseReference } from "../messages/message-id.ts";
import { createReplyHeaders, readOriginal } from "./original-message.ts";
import { createOutgoingCapability } from "./outgoing-capability.ts";
import { createOutgoingFields, decodeAttachments, toRecipients } from "./outgoing-input.ts";

export function createSendCapability(mail: MailContext): Capability {
  return createOutgoingCapability(mail, {
    verb: "send",
    summary: "Send a message",
    kind: "send",
    input: z.strictObject(createOutgoingFields(mail)),
    prepare: async ({ attachments, ...given }) => ({
      message: { ...given, ...toRecipients(given), attachments: decodeAttachments(attachments) },
      basis: {},
    }),
  });
}

export function createDraftCapability(mail: MailContext): Capability {
  return createOutgoingCapability(mail, {
    verb: "draft",
    summary: "Save a draft",
    kind: "create",
    input: z.strictObject({
      ...createOutgoingFields(mail),
      inReplyTo: messageInput.optional().describe("the message that the draft answers"),
    }),
    prepare: async ({ attachments, inReplyTo, ...given }, session) => {
      const message = { ...given, ...toRecipients(given), attachments: decodeAttachments(attachments) };
      if (inReplyTo === undefined) return { message, basis: {} };
      const original = await readOriginal(session, parseReference(inReplyTo));
      return {
        message: { ...message, ...createReplyHeaders(original) },
        basis: { original: original.basis },
      };
    },
    undo: ({ message }) =>
      message === undefined ? undefined : { capability: `${mail.name}.delete_draft`, input: { message } },
  });
}
