import { fileURLToPath } from "node:url";
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { sourceEnvironment } from "../support/servers/source-environment.ts";
import type { TestParaph } from "../support/servers/test-paraph.ts";

export const eras = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
export type Era = (typeof eras)[number];

const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

/** The private data of a caller, which must reach no server. */
export const canaries = {
  cookie: "canary-cookie",
  client: "canary-client-name",
  baggage: "canary=baggage",
  meta: "canary-meta",
  trace: "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
} as const;

/** Real clients of one protocol era over one transport, for any server. */
export class ClientColumn {
  readonly era: Era;
  readonly over: "HTTP" | "stdio";
  /** The name of the misbehaving server that belongs to this column. */
  readonly misbehavingServer: string;
  readonly #whole: () => TestParaph;
  readonly #open = new Map<string, Promise<Client>>();
  readonly #wires: Transport[] = [];

  constructor(era: Era, over: "HTTP" | "stdio", whole: () => TestParaph) {
    this.era = era;
    this.over = over;
    this.misbehavingServer = `bad_${era.replaceAll("-", "")}_${over.toLowerCase()}`;
    this.#whole = whole;
  }

  get name(): string {
    return `${this.era} over ${this.over}`;
  }

  get isModern(): boolean {
    return this.era === "2026-07-28";
  }

  /** Returns the same client for the same arguments. */
  connect(server: string | undefined, capabilities: ClientOptions["capabilities"] = {}): Promise<Client> {
    const key = JSON.stringify([server, capabilities]);
    const open = this.#open.get(key) ?? this.#connected(server, capabilities);
    this.#open.set(key, open);
    return open;
  }

  /** Opens a connection that can send any message, for requests that the SDK's client does not support. */
  async wire(server: string | undefined): Promise<Wire> {
    const transport = this.#transport(server);
    this.#wires.push(transport);
    const wire = new Wire(transport);
    await transport.start();
    return wire;
  }

  async close(): Promise<void> {
    const clients = await Promise.allSettled(this.#open.values());
    await Promise.all(clients.map((each) => each.status === "fulfilled" && each.value.close()));
    await Promise.all(this.#wires.map((each) => each.close()));
  }

  async #connected(server: string | undefined, capabilities: ClientOptions["capabilities"] = {}) {
    const mode = this.isModern ? { pin: this.era } : ("legacy" as const);
    const client = new Client(
      { name: canaries.client, version: "1" },
      { capabilities, versionNegotiation: { mode }, supportedProtocolVersions: [this.era] },
    );
    await client.connect(this.#transport(server));
    return client;
  }

  #transport(server: string | undefined): Transport {
    const paraph = this.#whole();
    const key = paraph.key("bot");
    if (this.over === "HTTP") {
      const { cookie, baggage, trace } = canaries;
      const headers = { authorization: `Bearer ${key}`, cookie, baggage, traceparent: trace };
      const url = new URL(server === undefined ? "/mcp" : `/mcp/${server}`, paraph.url);
      return new StreamableHTTPClientTransport(url, { requestInit: { headers } });
    }
    return new StdioClientTransport({
      command: process.execPath,
      args: [
        "--conditions=paraph-source",
        main,
        "mcp",
        ...(server === undefined ? [] : ["--server", server]),
      ],
      env: { ...sourceEnvironment, PARAPH_URL: paraph.url, PARAPH_KEY: key },
    });
  }
}

/** Raw messages of MCP 2026-07-28 over the SDK's own transports. */
export class Wire {
  readonly #transport: Transport;
  readonly #waiting = new Map<unknown, (answer: unknown) => void>();
  #id = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
    transport.onmessage = (message) => {
      if ("id" in message) this.#waiting.get(message.id)?.(message);
    };
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  async request(method: string, params: object, capabilities: object): Promise<any> {
    const id = `wire-${++this.#id}`;
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: canaries.client, version: "1" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    await this.#transport.send({ jsonrpc: "2.0", id, method, params: { ...params, _meta } });
    return answer;
  }
}
