import { type MailOptions, mail } from "@paraph/server";
import { receiveByImap } from "../../packages/server/src/channels/mail/in/imap.ts";

/**
 * Creates the mail channel of a process that reads replies and requests. Its DNS knows one key, with which the laboratory
 * signs the mails of people.
 */
export function createMailWithInbox(options: MailOptions): ReturnType<typeof mail> {
  const { IMAP_URL = "", REPLY_ADDRESS = "", DKIM_NAME = "", DKIM_RECORD = "" } = process.env;
  const withReplies = {
    ...options,
    replies: { address: REPLY_ADDRESS, imap: { url: IMAP_URL, user: "approvals", secret: "imap" } },
    // The clock moves by minutes, so an experiment sends more requests per hour than a person does.
    requests: { tenant: "acme", address: REPLY_ADDRESS, allow: ["@lab.test"], maxPerHour: 1_000_000 },
  };
  const resolve = async (name: string) => {
    if (name !== DKIM_NAME) throw Object.assign(new Error("no record"), { code: "ENOTFOUND" });
    return [[DKIM_RECORD]];
  };
  return { ...mail(withReplies), receive: (context) => receiveByImap(withReplies, context, resolve) };
}
