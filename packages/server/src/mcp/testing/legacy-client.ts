import type { McpTestServer } from "./server.ts";

/** A client of a protocol version before 2026 that sends plain JSON-RPC. */
export class LegacyClient {
  readonly #server: McpTestServer;
  readonly #era: string;
  readonly #name: string;
  #session: Record<string, string> = {};
  #id = 0;

  constructor(server: McpTestServer, era: string, name = "old") {
    this.#server = server;
    this.#era = era;
    this.#name = name;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  async initialize(capabilities: Record<string, unknown> = {}): Promise<any> {
    const clientInfo = { name: this.#name, version: "1" };
    const params = { protocolVersion: this.#era, capabilities, clientInfo };
    const response = await this.#post({ id: ++this.#id, method: "initialize", params });
    const session = response.headers.get("mcp-session-id");
    this.#session = { "mcp-session-id": session ?? "", "mcp-protocol-version": this.#era };
    const [begun] = await readMessages(response);
    await this.#post({ method: "notifications/initialized" });
    return begun.result;
  }

  /** Sends a request and returns its response. Notifications that arrive before the response go to `heard`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  async send(method: string, params: Record<string, unknown> = {}, heard: unknown[] = []): Promise<any> {
    const messages = await readMessages(await this.#post({ id: ++this.#id, method, params }));
    heard.push(...messages.slice(0, -1));
    return messages.at(-1);
  }

  #post(message: Record<string, unknown>): Promise<Response> {
    return this.#server.post({ jsonrpc: "2.0", ...message }, this.#session);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function readMessages(response: Response): Promise<any[]> {
  const text = await response.text();
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return [JSON.parse(text)];
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}
