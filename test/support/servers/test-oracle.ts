import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordedEffect {
  readonly call: string;
  readonly name: string;
  readonly kind: string;
}

/** The external system of a test. It records every requested effect, and a test can delay or fail its responses. */
export class TestOracle {
  readonly effects: RecordedEffect[] = [];
  readonly requests: { verb: string; body: Record<string, unknown> }[] = [];
  /**
   * The functions that the oracle awaits before and after the effect of each request. With them, a test can stop the
   * oracle there.
   */
  beforeEffect: (verb: string, body: Record<string, unknown>) => Promise<void> = async () => {};
  afterEffect: (verb: string, body: Record<string, unknown>) => Promise<void> = async () => {};
  basis = 1;
  /** The number of changes of the basis of each name. */
  readonly moves = new Map<string, number>();
  url = "";
  readonly #keys = new Set<string>();
  readonly #server = createServer((request, response) => {
    this.#answer(request)
      .then((body) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)),
      )
      .catch(() => response.destroy());
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  listEffects(call: string): RecordedEffect[] {
    return this.effects.filter((effect) => effect.call === call);
  }

  async #answer(request: IncomingMessage): Promise<object> {
    const [, verb = "", kind] = (request.url ?? "").split("/");
    const body = { ...JSON.parse(await readBody(request)), kind };
    this.requests.push({ verb, body });
    await this.beforeEffect(verb, body);
    const answer = this.#perform(verb, body);
    await this.afterEffect(verb, body);
    return answer;
  }

  #perform(verb: string, body: Record<string, unknown>): object {
    if (verb === "preview") return { basis: { at: this.basis + (this.moves.get(String(body.name)) ?? 0) } };
    if (verb === "probe") return { present: this.listEffects(String(body.call)).length > 0 };
    const key = String(body.key);
    if (body.kind === "keyed" && this.#keys.has(key)) return { deduplicated: true };
    this.#keys.add(key);
    this.effects.push({ call: String(body.call), name: String(body.name), kind: String(body.kind) });
    return {};
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
