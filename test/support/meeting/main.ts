// One Paraph process of the story of a meeting that a person moves by mail. It reads its options from the environment,
// and writes its URL when it is ready. It dies at the durable boundary that its parent names.

import { caldav } from "@paraph/adapters/calendar";
import { mailbox } from "@paraph/adapters/mail";
import { type Config, createFileSigner, mail, startParaph } from "@paraph/server";
import { createFaults } from "../../../lab/faults/boundary-faults.ts";
import { receiveByImap } from "../../../packages/server/src/channels/mail/in/imap.ts";
import type { MeetingOptions } from "./meeting-process.ts";

const options: MeetingOptions = JSON.parse(process.env.MEETING ?? "");
const { addresses, calendar, dkim, folder, servers, dnsRecords } = options;
const tenant = "acme";
const mailOptions = {
  from: addresses.paraph,
  smtp: { url: servers.submissionUrl, user: addresses.paraph, secret: "smtp" },
  dkim: { ...dkim, secret: "dkim" },
  replies: {
    address: addresses.agent,
    imap: { url: servers.imapUrl, user: addresses.agent, secret: "imap" },
  },
  requests: { tenant, address: addresses.agent, allow: ["@example.com"] },
};
const resolveDns = async (name: string) => {
  const record = dnsRecords[name.split("._domainkey.")[1] ?? ""];
  if (record === undefined) throw Object.assign(new Error("no record"), { code: "ENOTFOUND" });
  return [[record]];
};
const config: Config = {
  policy: "permissive",
  adapters: {
    calendar: caldav({
      timeZone: "Europe/Berlin",
      domains: ["example.com"],
      // biome-ignore-start lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
      credential: { user: "paraph", password: "${CALDAV_PASSWORD}" },
      allow: [calendar.host],
      calendars: { bo: { url: calendar.url, person: addresses.bo, access: "write" } },
    }),
    office: mailbox({
      address: addresses.assistant,
      imap: { url: servers.imapUrl, password: "${MAIL_PASSWORD}" },
      smtp: { url: servers.submissionUrl, password: "${MAIL_PASSWORD}" },
      // biome-ignore-end lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
      ca: options.authority,
      allow: ["127.0.0.2"],
      domains: ["example.com"],
      groups: { team: [addresses.team] },
    }),
  },
  rules: ["calendar.move", "calendar.restore", "office.tell"].map((capability) => ({
    capability,
    ask: "leads",
    reply: "approve",
  })),
  channels: [{ ...mail(mailOptions), receive: (context) => receiveByImap(mailOptions, context, resolveDns) }],
};

const signer = createFileSigner(`${folder}/signing.pem`);
const faults = createFaults(process.env);
const paraph = await startParaph({
  config,
  folder,
  databaseUrl: options.databaseUrl,
  signer,
  publicKeys: [signer.publicKey],
  version: "0.0.0",
  leaseGraceMs: 1_500,
  log: () => {},
  wrapPorts: (parts) => faults?.(parts) ?? parts,
});
process.stdout.write(`${paraph.url}\n`);
// The process exits when its parent dies without stopping it.
process.on("disconnect", () => process.exit(1));
process.on("SIGTERM", async () => {
  await paraph.stop();
  process.exit(0);
});
