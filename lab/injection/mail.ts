import { mailbox, mailboxConfig } from "@paraph/adapters/mail";
import type { JsonObject } from "@paraph/core";
import { simpleParser } from "mailparser";
import { openTestAdapter } from "../../packages/adapters/src/egress/testing/open-adapter.ts";
import {
  encodeMessage,
  type OutgoingMessage,
} from "../../packages/adapters/src/mail/outgoing/outgoing-message.ts";
import type { InjectionTarget } from "./target.ts";

const server = (url: string) => ({ url, password: `\${MAIL_PASSWORD}` });
const options = {
  address: "assistant@example.org",
  imap: server("imaps://imap.example.org"),
  smtp: server("smtps://smtp.example.org"),
};
const config = mailboxConfig.parse(options);
const recipient = "ana@example.com";
const expectedHeaders = new Set([
  ...["from", "to", "cc", "subject", "message-id", "date", "mime-version", "content-type"],
  "content-transfer-encoding",
]);

/** A value in a field of a message must stay in that field: no header, recipient or part may come from it. */
const messageTarget: InjectionTarget = {
  name: "mail: a message",
  share: 10,
  async prepare() {
    const api = await openTestAdapter(mailbox(options));
    const send = api.capability("send");
    const found: string[] = [];
    let reached = 0;
    const putInput = async (over: JsonObject) => {
      const parsed = send.parseInput({ to: [recipient], subject: "a", text: "b", ...over });
      if (parsed.kind === "invalid") return;
      const input = parsed.value as unknown as OutgoingMessage;
      const attachments = input.attachments.map((each) => ({ ...each, content: Buffer.from("c") }));
      const { sent } = await encodeMessage({ config }, "<id@example.org>", { ...input, attachments });
      reached += 1;
      const problem = await findEscape(sent, { ...input, attachments });
      if (problem !== undefined) found.push(problem);
    };
    return {
      async put(value) {
        await putInput({ subject: value });
        await putInput({ text: value });
        await putInput({ to: [value] });
        await putInput({ cc: [recipient, `${value}@example.com`, `a@${value}`] });
        await putInput({ attachments: [{ name: value, content: "AAAA" }] });
        await putInput({ attachments: [{ name: "a", type: value, content: "AAAA" }] });
      },
      escapes: async () => found.splice(0),
      reached: () => reached,
      close: async () => api[Symbol.asyncDispose](),
    };
  },
};

async function findEscape(raw: Buffer, { to, cc, subject, attachments }: OutgoingMessage) {
  const mail = await simpleParser(raw);
  const headers = mail.headerLines.map(({ key }) => key);
  if (headers.some((name) => !expectedHeaders.has(name)) || new Set(headers).size !== headers.length)
    return "there is a header that no field of the message sets";
  const listed = [mail.to ?? [], mail.cc ?? []].flat().flatMap(({ value }) => value);
  if (listed.length !== to.length + cc.length) return "a recipient became several recipients";
  if (mail.attachments.length !== attachments.length) return "a field became a part of the message";
  // Clients do not keep the spaces around a subject.
  return (mail.subject ?? "").trim() === subject.trim() ? undefined : "the subject holds what was not sent";
}

export const mailTargets = [messageTarget];
