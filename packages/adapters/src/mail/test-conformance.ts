import { defineConformanceTest } from "../conformance/conformance-test.ts";
import { mailbox } from "./index.ts";
import { ana, assistant, MailServers, otherPerson, uidValidity } from "./testing/mail-servers.ts";

/** Set the variable to a higher number to test more crash points. */
const crashes = Number(process.env.PARAPH_CONFORMANCE_CRASHES ?? 1);

/** The servers run only in the suite's process. The adapter's processes receive the addresses. */
let servers: MailServers;

const message = `1.${uidValidity}.INBOX`;
const slow = {
  begin: async () => {
    servers.imap.mode = "drop" as const;
  },
};
/**
 * The share of crashes after which it is unknown whether the SMTP server accepted the message. Most of the time of a
 * call passes while the server takes the message.
 */
const maxUnsureShare = 0.5;

/** Another program changes the message: it moves it to another folder, or sets a flag. */
const withClient = async (body: (client: import("imapflow").ImapFlow) => Promise<unknown>) => {
  const { ImapFlow } = await import("imapflow");
  const { hostname, port } = new URL(servers.servers.imapUrl);
  const client = new ImapFlow({
    host: hostname,
    port: Number(port),
    secure: true,
    tls: { ca: servers.servers.authority },
    auth: { user: assistant, pass: "secret" },
    logger: false,
  });
  await client.connect();
  try {
    await client.mailboxOpen("INBOX");
    await body(client);
  } finally {
    await client.logout();
  }
};
const moveAway = () => withClient((client) => client.messageMove(1, "Archive", { uid: true }));

export default defineConformanceTest<MailServers["addresses"]>({
  name: "office",
  prepare: async () => {
    servers = await MailServers.start();
    return servers.addresses;
  },
  cleanup: () => servers.stop(),
  adapter: ({ imapUrl, smtpUrl, ca }) =>
    mailbox({
      address: assistant,
      name: "Assistant",
      // biome-ignore-start lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
      imap: { url: imapUrl, password: "${MAIL_PASSWORD}" },
      smtp: { url: smtpUrl, password: "${MAIL_PASSWORD}" },
      // biome-ignore-end lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
      ca,
      allow: ["127.0.0.2"],
      maxBytes: 1024 * 1024,
    }),
  credentials: { MAIL_PASSWORD: "secret" },
  reset: () => servers.reset(),
  snapshot: () => servers.snapshot(),
  triggerEvent: async () => {
    await servers.servers.deliver(Buffer.from("Subject: News\r\n\r\nHello\r\n"), ana, assistant);
    await servers.servers.waitUntilDelivered();
  },
  cases: [
    { capability: "office.search", input: { from: ana, subject: "Budget" }, large: [{ limit: 100 }], slow },
    { capability: "office.read", input: { message }, large: [{ message: `3.${uidValidity}.INBOX` }], slow },
    {
      capability: "office.send",
      input: {
        to: [ana],
        bcc: [otherPerson],
        subject: "Numbers",
        text: "About four hundred.",
        attachments: [{ name: "numbers.csv", type: "text/csv", content: "b25lLHR3bwo=" }],
      },
      large: [
        { to: [ana], subject: "Long", text: "long text\n".repeat(90_000) },
        {
          to: [ana],
          subject: "Large",
          text: "",
          attachments: [{ name: "large", content: "A".repeat(1024 * 1024) }],
        },
      ],
      slow,
      crashes: crashes + 1,
      maxUnsureShare,
    },
    {
      capability: "office.reply",
      input: { message, all: true, text: "About four hundred." },
      changeBasis: moveAway,
      slow,
      crashes,
      maxUnsureShare,
    },
    {
      capability: "office.forward",
      input: { message, to: [otherPerson], text: "Can you answer?" },
      changeBasis: moveAway,
      slow,
      crashes,
      maxUnsureShare,
    },
    {
      capability: "office.draft",
      input: { to: [ana], subject: "Re: Budget", text: "About four hundred.", inReplyTo: message },
      changeBasis: moveAway,
      slow,
      crashes,
    },
    {
      capability: "office.delete_draft",
      input: { message: `1.${uidValidity}.Drafts` },
      setUp: () => servers.addDraft(),
      slow,
      crashes: crashes + 1,
    },
    {
      capability: "office.move",
      input: { message, folder: "Archive" },
      changeBasis: moveAway,
      slow,
      crashes,
    },
    {
      capability: "office.label",
      input: { message, add: ["important", "flagged"] },
      changeBasis: () => withClient((client) => client.messageFlagsAdd(1, ["urgent"], { uid: true })),
      slow,
      crashes,
    },
  ],
});
