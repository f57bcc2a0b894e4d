import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly id: string;
}

/** An endpoint on a real socket that records its requests and responds as configured. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  url = "";
  /** Returns the status of the response. A promise delays the response. */
  answer: (received: ReceivedWebhook) => number | Promise<number> = () => 204;
  #waiting: (() => void)[] = [];
  readonly #server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const received = { headers: request.headers, body, id: String(request.headers["webhook-id"]) };
    this.received.push(received);
    for (const look of this.#waiting.splice(0)) look();
    response.statusCode = await this.answer(received);
    response.setHeader("location", "/elsewhere");
    response.end("the receiver's own words");
  });

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
    return this;
  }

  /** Resolves when this many messages have arrived. */
  async waitForCount(min: number): Promise<readonly ReceivedWebhook[]> {
    while (this.received.length < min) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    return this.received;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}
