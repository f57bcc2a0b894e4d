import { setTimeout as sleep } from "node:timers/promises";
import { digestToken } from "../../packages/server/src/channels/mail/in/reply-token.ts";
import {
  type Draft,
  replyAddress,
  resolveDns,
  writeMail,
} from "../../packages/server/src/channels/mail/in/testing/draft.ts";
import { ImapServer } from "../../packages/server/src/channels/mail/in/testing/imap-server.ts";
import type { StartedCall } from "../crash-points/scenario-run.ts";
import type { LabCluster } from "../lab-cluster.ts";
import type { MailReceiver } from "./mail-receiver.ts";
import { readNotices, toAddress } from "./notices.ts";

/** The effects that a reply can have. `none` means that the person gets an answer that says why. */
export type ReplyEffect = "comment" | "acknowledge" | "deny" | "approve" | "none";

/** A reply that a person sent. */
export interface SentReply {
  readonly call: string;
  readonly by: string;
  /** The digest of the token to which the reply went. */
  readonly token: string;
  readonly effect: ReplyEffect;
}

const texts: Readonly<Record<ReplyEffect, string>> = {
  comment: "comment: I look at the invoice.",
  acknowledge: "on it",
  deny: "deny: no invoice",
  approve: "approve",
  none: "approve",
};

/** The mailbox to which people send requests and replies, and the replies about approvals that they sent. */
export class Inbox {
  readonly sent: SentReply[] = [];
  readonly #server: ImapServer;
  readonly #record: string;
  #last = 0;

  private constructor(server: ImapServer, record: string) {
    this.#server = server;
    this.#record = record;
  }

  static async start(): Promise<Inbox> {
    // The first mail makes the key that the DNS then returns.
    await writeMail({ from: toAddress("approver") });
    const [[record = ""] = []] = (await resolveDns(dkimName, "TXT")) as string[][];
    return new Inbox(await new ImapServer().start(), record);
  }

  /** The environment of a process that reads the mailbox. */
  get env(): Readonly<Record<string, string>> {
    return {
      IMAP_URL: this.#server.url,
      REPLY_ADDRESS: replyAddress,
      DKIM_NAME: dkimName,
      DKIM_RECORD: this.#record,
      PARAPH_SECRET__DEPLOYMENT__IMAP: "secret",
    };
  }

  /** Replies to the mail that a person got about a call. */
  async reply(
    cluster: LabCluster,
    mails: MailReceiver,
    { call }: StartedCall,
    by: string,
    effect: ReplyEffect,
  ): Promise<void> {
    const notices = await retry(() => readNotices(cluster));
    const own = notices.filter((notice) => notice.call === call && notice.recipient === by);
    const ids = new Set(own.map(({ id }) => id));
    const token = mails.accepted.findLast((mail) => ids.has(mail.notice) && mail.token)?.token;
    // The judge reports a request without a mail.
    if (token === undefined) return;
    await this.send(by, { token, text: texts[effect] });
    this.sent.push({ call, by, token: digestToken(token), effect });
  }

  /** Delivers a signed mail of a person, and returns it. */
  async send(by: string, draft: Draft): Promise<Buffer> {
    const raw = await writeMail({ from: toAddress(by), ...draft });
    this.#last = this.#server.deliver(raw);
    return raw;
  }

  /** Waits until every mail was read, and every answer was sent. */
  async waitUntilRead(cluster: LabCluster): Promise<void> {
    const text = `select (select coalesce(max(last_uid), 0) from paraph.mail_place)::int as place,
                    (select count(*) from paraph.reply where state = 'taken' or answer_at is not null)::int
                      + (select count(*) from paraph.mail_request where due_at <= paraph.now() or (due_at is not null and attempts > 0))::int as open`;
    // The limit of a hang, as in `waitUntilAtRest`.
    const deadline = Date.now() + 300_000;
    while (Date.now() < deadline) {
      const [row] = await retry(() => cluster.query<{ place: number; open: number }>(text));
      if (row && row.place >= this.#last && row.open === 0) return;
      await sleep(100);
    }
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }
}

const dkimName = "s1._domainkey.lab.test";

/** Repeats a query, because PostgreSQL may be the victim of the crash. */
async function retry<T>(body: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await body();
    } catch {
      await sleep(100);
    }
  }
}
