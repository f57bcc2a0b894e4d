import { schemaFaults } from "@paraph/core";
import type { ChannelConfig } from "../channel.ts";
import { type MailOptions, mailSchema, receivedPath } from "./options.ts";
import { openResend } from "./resend.ts";
import { openSmtp } from "./smtp.ts";

export type { MailOptions } from "./options.ts";

/** Tells approvers by mail, over SMTP or through Resend. */
export function mail(options: MailOptions): ChannelConfig {
  const { maxPerMinute = 300, maxPerRecipient = 20, smtp, resend, dkim, replies, requests } = options;
  const secrets = [
    ...[smtp?.secret, resend?.secret, dkim?.secret],
    ...[replies?.imap?.secret, replies?.resend?.secret, replies?.resend?.webhookSecret],
    ...[smtp?.oauth, replies?.imap?.oauth].flatMap((oauth) => [oauth?.clientSecret, oauth?.refreshToken]),
  ];
  return {
    name: "mail",
    maxPerMinute,
    maxPerRecipient,
    secrets: secrets.filter((name) => name !== undefined),
    faults: schemaFaults(mailSchema, options),
    open: (context) =>
      options.resend ? openResend(options, options.resend, context) : openSmtp(options, context),
    ...(replies && { takesReplies: true }),
    ...(replies && requests && { takesRequests: true }),
    // Only a process that gets replies loads the libraries that parse mails.
    ...(replies?.imap && {
      receive: async (context) =>
        (await import("./in/imap.ts")).receiveByImap({ ...options, replies }, context),
    }),
    ...(replies?.resend && {
      inbound: {
        path: receivedPath,
        handle: async (request, context) => {
          const { handleByWebhook } = await import("./in/resend-webhook.ts");
          return handleByWebhook({ ...options, replies }).handle(request, context);
        },
      },
    }),
  };
}
