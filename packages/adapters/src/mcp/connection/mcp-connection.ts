import {
  Client,
  type jsonSchemaValidator,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { CapabilityError } from "@paraph/core";
import { ProcessTransport } from "./process-transport.ts";

export interface McpConnectionOptions {
  /** Creates a transport to the server. The transport is not started yet. */
  readonly transport: () => Promise<Transport>;
  /** Runs when the server's definitions may have changed, because the server announced a change or was restarted. */
  readonly onChange: () => void;
}

/** The connection to one server. If the connection is lost, Paraph reconnects with a growing delay. */
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

  /** Connects for the first time. Throws the original error, so that the operator who opens the adapter sees it. */
  async open(signal: AbortSignal): Promise<void> {
    await this.#connect(signal, maxOpenMs);
  }

  /** [P8] Returns the client. Without a connection it throws immediately, and nothing is sent. */
  requireClient(): Client {
    if (this.#client) return this.#client;
    throw new CapabilityError(
      "not-performed",
      "mcp-server-unavailable",
      "The MCP server stopped or cannot be reached. Paraph reconnects automatically.",
    );
  }

  /** Closes a connection whose session the server no longer knows, so that Paraph opens a new one. */
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
    const transport = await this.#options.transport();
    const client = this.#newClient(transport);
    let ended = false;
    client.onclose = () => {
      ended = true;
      this.#lost(client);
    };
    try {
      await client.connect(transport, { signal, timeout });
    } catch (error) {
      await client.close().catch(() => {});
      throw error;
    }
    // The server may have ended after the handshake, or the adapter may have been closed in the meantime.
    if (ended || this.#closed) {
      await client.close();
      throw new SdkError(SdkErrorCode.ConnectionClosed, "The connection was closed.");
    }
    // Marks the definitions as changed before the first request, because the server may be a different version now.
    this.#options.onChange();
    this.#client = client;
    this.#since = performance.now();
    return client;
  }

  #newClient(transport: Transport): Client {
    const listChanged = { autoRefresh: false, debounceMs: 0, onChanged: () => this.#options.onChange() };
    return new Client(
      { name: "paraph", version: "1" },
      {
        // Paraph offers neither sampling nor roots nor elicitation, so that a server cannot use the agent's own
        // resources.
        capabilities: {},
        versionNegotiation: {
          mode: "auto",
          probe: { timeoutMs: transport instanceof ProcessTransport ? processProbeMs : httpProbeMs },
        },
        inputRequired: { autoFulfill: false },
        jsonSchemaValidator: acceptingValidator,
        listChanged: { tools: listChanged, prompts: listChanged, resources: listChanged },
      },
    );
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    // The retry delay is reset only after a stable connection. Otherwise, if a server keeps exiting, Paraph would
    // restart it in a fast loop.
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

/**
 * A validator that accepts everything. Paraph checks outputs against the contract instead, with a validator that does
 * not compile schemas to code.
 */
const acceptingValidator: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const handshakeTimeoutMs = 8_000;
/** The timeout of the first connection. A command that downloads its server first may need this long. */
const maxOpenMs = 180_000;
/** The timeout of the first request to a local server. An older server may not answer that request. */
const processProbeMs = 2_000;
/**
 * The timeout of the first request over HTTP. Every server answers it, and a late answer would otherwise fail the
 * connection. A hosted server may have to start first.
 */
const httpProbeMs = 30_000;
const firstRetryMs = 250;
const maxRetryMs = 60_000;
const minStableMs = 60_000;
