import type { AddressInfo } from "node:net";
import { simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";
import { eventually } from "./eventually.ts";

/** A received mail, parsed, and its raw text. */
export interface ReceivedMail {
  readonly to: readonly string[];
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: ReadonlyMap<string, unknown>;
  readonly references: readonly string[];
  readonly raw: string;
}

/** A mail server that keeps what it receives. It speaks SMTP over a socket. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** Decides about a recipient. A number refuses the mail with this code. */
  answer: (address: string) => number | undefined = () => undefined;
  /** Called after a mail was received, and before the server confirms it. */
  beforeConfirm: () => Promise<void> = async () => {};
  readonly #server: SMTPServer;

  constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      closeTimeout: 1,
      onRcptTo: ({ address }, _session, done) => {
        const code = this.answer(address);
        done(code === undefined ? null : Object.assign(new Error("refused"), { responseCode: code }));
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          void this.#keep(
            Buffer.concat(chunks),
            session.envelope.rcptTo.map(({ address }) => address),
          ).then(() => done());
        });
      },
    });
    this.#server.on("error", () => {});
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return this;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(resolve);
    });
  }

  /** Returns the mails with this text once there are this many. */
  async waitForCount(count: number, text: string): Promise<readonly ReceivedMail[]> {
    const list = () => this.received.filter((mail) => mail.text.includes(text));
    await eventually(() => {
      if (list().length < count) throw new Error(`${list().length} of ${count} mails`);
    });
    return list();
  }

  async #keep(raw: Buffer, to: readonly string[]): Promise<void> {
    const mail = await simpleParser(raw);
    this.received.push({
      to,
      messageId: mail.messageId ?? "",
      subject: mail.subject ?? "",
      text: mail.text ?? "",
      html: mail.html || "",
      headers: mail.headers,
      references: [mail.references ?? []].flat(),
      raw: raw.toString("utf8"),
    });
    await this.beforeConfirm();
  }
}
