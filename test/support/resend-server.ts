import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { eventually } from "./eventually.ts";

/** A mail that Paraph sent through the API. */
export interface SentMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly reply_to?: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly name: string;
}

/** The parts of Resend's HTTP API that Paraph uses, as its documentation describes them, on a loopback port. */
export class ResendServer {
  readonly sent: SentMail[] = [];
  readonly apiKey = "re_test";
  readonly webhookSecret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
  /** The errors that the next requests to send get, one each. */
  readonly refusals: Answer[] = [];
  /** Whether the connection breaks after the next mail was accepted, so that the client does not learn of it. */
  losesAnswer = false;
  readonly #received = new Map<string, Buffer>();
  readonly #keys = new Map<string, { readonly body: string; readonly id: string }>();
  readonly #server = createServer((request, response) => void this.#handle(request, response));

  async start(): Promise<this> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), "close");
  }

  async waitForCount(count: number, text: string): Promise<readonly SentMail[]> {
    return eventually(() => {
      const found = this.sent.filter((mail) => mail.text.includes(text));
      if (found.length < count) throw new Error(`${found.length} of ${count} mails`);
      return found;
    });
  }

  /** Receives a mail, and returns the signed webhook about it. Resend calls the sender's signature valid. */
  receive(raw: Buffer, at = new Date()) {
    const id = randomUUID();
    this.#received.set(id, raw);
    const data = { email_id: id, from: "ana@example.com", to: [], subject: "approve", attachments: [] };
    return this.sign(JSON.stringify({ type: "email.received", created_at: at.toISOString(), data }), at);
  }

  /** Returns the headers and the body of a signed webhook. */
  sign(body: string, at = new Date()) {
    const message = `msg_${randomUUID()}`;
    return {
      body,
      headers: {
        "content-type": "application/json",
        "svix-id": message,
        "svix-timestamp": String(Math.floor(at.getTime() / 1_000)),
        "svix-signature": new Webhook(this.webhookSecret).sign(message, at, body),
      } as Record<string, string>,
    };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", this.url);
    const answer = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const [, , , id = ""] = pathname.split("/");
    const raw = this.#received.get(id);
    if (pathname.startsWith("/files/raw/")) {
      // The address is signed. A client that sends its key to the file server leaks it.
      if (searchParams.get("Signature") !== "s" || request.headers.authorization !== undefined)
        response.writeHead(403).end();
      else response.writeHead(200, { "content-type": "message/rfc822" }).end(raw);
    } else if (request.headers.authorization !== `Bearer ${this.apiKey}`)
      answer(401, { statusCode: 401, name: "missing_api_key", message: "Missing API key" });
    else if (request.method === "POST" && pathname === "/emails") await this.#send(request, response, answer);
    else if (request.method === "GET" && pathname.startsWith("/emails/receiving/") && raw)
      answer(200, {
        object: "email",
        id,
        authentication: { spf: "pass", dkim: "pass", dmarc: "pass" },
        raw: { download_url: `${this.url}/files/raw/${id}?Signature=s`, expires_at: "2100-01-01T00:00:00Z" },
      });
    else answer(404, { statusCode: 404, name: "not_found", message: "Not found" });
  }

  async #send(
    request: IncomingMessage,
    response: ServerResponse,
    answer: (status: number, body: object) => void,
  ): Promise<void> {
    const mail = (await json(request)) as SentMail;
    const refusal = this.refusals.shift();
    if (refusal) return answer(refusal.status, { statusCode: refusal.status, name: refusal.name });
    const key = String(request.headers["idempotency-key"]);
    const body = JSON.stringify(mail);
    const known = this.#keys.get(key);
    if (known) {
      if (known.body === body) return answer(200, { id: known.id });
      return answer(409, { statusCode: 409, name: "invalid_idempotent_request", message: "Other payload" });
    }
    const id = randomUUID();
    this.#keys.set(key, { body, id });
    this.sent.push(mail);
    if (this.losesAnswer) {
      this.losesAnswer = false;
      response.destroy();
    } else answer(200, { id });
  }
}
