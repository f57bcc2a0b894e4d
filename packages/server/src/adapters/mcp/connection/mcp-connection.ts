import {
  Client,
  type jsonSchemaValidator,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { CapabilityError } from "@paraph/core";

export interface McpConnectionOptions {
  /** A new way to the server; not started yet. */
  readonly transport: () => Promise<Transport>;
  /** Told when what the server offers may have changed: it said so, or it is another one since it was started anew. */
  readonly onChange: () => void;
}

/** The connection to one server: made anew whenever it is lost, each time a little later. */
export class McpConnection {
  readonly #options: McpConnectionOptions;
  #client: Client | undefined;
  #since = 0;
  #connecting: Promise<Client> | undefined;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: McpConnectionOptions) {
    this.#options = options;
  }

  /** The first time, what is wrong is thrown as it is: whoever opens the adapter is to read it. */
  async open(signal: AbortSignal): Promise<void> {
    await this.#connect(signal, maxOpenMs);
  }

  /** [P8] While there is no connection nothing is sent, and whoever asks is told so at once. */
  requireClient(): Client {
    if (this.#client) return this.#client;
    throw new CapabilityError(
      "not-performed",
      "mcp-server-away",
      "The MCP server has ended or cannot be reached: it is started again by itself.",
    );
  }

  /** The server no longer knows this connection: the next one is made at once. */
  async renew(client: Client): Promise<void> {
    if (this.#client === client) await client.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#connecting?.catch(() => {});
    await this.#client?.close();
  }

  #connect(signal: AbortSignal, timeout = handshakeTimeoutMs): Promise<Client> {
    this.#connecting ??= this.#connected(signal, timeout).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connected(signal: AbortSignal, timeout: number): Promise<Client> {
    const client = this.#newClient();
    let ended = false;
    client.onclose = () => {
      ended = true;
      this.#lost(client);
    };
    try {
      await client.connect(await this.#options.transport(), { signal, timeout });
    } catch (error) {
      await client.close().catch(() => {});
      throw error;
    }
    // It may have greeted us and ended, or we may have been told to, before anybody could ask it anything.
    if (ended || this.#closed) {
      await client.close();
      throw new SdkError(SdkErrorCode.ConnectionClosed, "closed meanwhile");
    }
    // Before anybody can ask it: it may be another one now.
    this.#options.onChange();
    this.#client = client;
    this.#since = performance.now();
    return client;
  }

  #newClient(): Client {
    const listChanged = { autoRefresh: false, debounceMs: 0, onChanged: () => this.#options.onChange() };
    return new Client(
      { name: "paraph", version: "1" },
      {
        // Neither sampling nor roots nor elicitation: a server behind a gateway gets nothing of the agent's own.
        capabilities: {},
        versionNegotiation: { mode: "auto", probe: { timeoutMs: probeTimeoutMs } },
        inputRequired: { autoFulfill: false },
        jsonSchemaValidator: acceptingValidator,
        listChanged: { tools: listChanged, prompts: listChanged, resources: listChanged },
      },
    );
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    // One that ends again and again is not started without a pause, however well it starts.
    if (performance.now() - this.#since > minStableMs) this.#failures = 0;
    this.#later();
  }

  #later(): void {
    if (this.#closed) return;
    const pause = Math.min(maxRetryMs, firstRetryMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#timer = setTimeout(async () => {
      try {
        await this.#connect(AbortSignal.timeout(handshakeTimeoutMs));
      } catch {
        this.#later();
      }
    }, pause).unref();
  }
}

/** What a tool puts out is held against its contract, by a validator that compiles nobody's schema to code. */
const acceptingValidator: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const handshakeTimeoutMs = 8_000;
/** One that is fetched before it is started takes its time the first time; whoever opens it says how long that may be. */
const maxOpenMs = 180_000;
/** A server of the older kind may leave the first question unanswered. */
const probeTimeoutMs = 2_000;
const firstRetryMs = 250;
const maxRetryMs = 60_000;
const minStableMs = 60_000;
