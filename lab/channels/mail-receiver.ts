import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** A mail that the server accepted. */
export interface AcceptedMail {
  readonly to: string;
  /** The notice that the Message-ID names. */
  readonly notice: string;
  /** The notice that the mail refers to, if it belongs to a thread. */
  readonly thread?: string;
  /** The token with which the recipient can reply. */
  readonly token?: string;
  readonly at: number;
}

/** An SMTP server that records the mails that it accepts. It can be down, and refuse recipients. */
export class MailReceiver {
  readonly accepted: AcceptedMail[] = [];
  readonly #refuse: (address: string) => number | undefined;
  #server: SMTPServer;
  #port = 0;

  private constructor(refuse: (address: string) => number | undefined) {
    this.#refuse = refuse;
    this.#server = this.#createServer();
  }

  /** `refuse` returns the SMTP code with which the server refuses a recipient. */
  static async start(refuse: (address: string) => number | undefined): Promise<MailReceiver> {
    const receiver = new MailReceiver(refuse);
    await receiver.#listen();
    return receiver;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  /** Refuses connections until the returned function is called. */
  async takeDown(): Promise<() => Promise<void>> {
    await this.stop();
    return async () => {
      this.#server = this.#createServer();
      await this.#listen();
    };
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.server.address() as AddressInfo).port;
  }

  #createServer(): SMTPServer {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      disableReverseLookup: true,
      closeTimeout: 1,
      onRcptTo: ({ address }, _session, done) => {
        const code = this.#refuse(address);
        done(code === undefined ? null : Object.assign(new Error("refused"), { responseCode: code }));
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const head = Buffer.concat(chunks).toString("latin1").split("\r\n\r\n")[0] ?? "";
          const thread = readNoticeId(head, "References");
          const token = /\+([a-z2-7]{32})@/.exec(head)?.[1];
          this.accepted.push({
            to: session.envelope.rcptTo[0]?.address ?? "",
            notice: readNoticeId(head, "Message-ID") ?? "",
            ...(thread !== undefined && { thread }),
            ...(token !== undefined && { token }),
            at: Date.now(),
          });
          done();
        });
      },
    });
    // A killed process breaks its connection.
    server.on("error", () => {});
    return server;
  }
}

/** Reads the id of a notice from a header that contains a Message-ID. */
function readNoticeId(head: string, header: string): string | undefined {
  return new RegExp(`^${header}:\\s*<([^@>]+)@`, "im").exec(head)?.[1];
}
