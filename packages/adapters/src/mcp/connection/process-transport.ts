import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { CapabilityError } from "@paraph/core";
import { type InteractiveProcess, startInteractive } from "../../process/index.ts";
import { LineBuffer } from "./line-buffer.ts";

type ServerProcess = Omit<Parameters<typeof startInteractive>[0], "signal">;

/**
 * [TRUST 24] The maximum size of a message. Paraph ends the connection at a longer message, so that the message cannot
 * exhaust the memory.
 */
export const maxMcpMessageBytes = 10 * 1024 * 1024;

/** Exchanges messages as lines with a local server process in its sandbox. */
export class ProcessTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  /**
   * The MCP client treats a transport with `stderr` and `pid` as a stdio server. For such a server, the client accepts
   * that an old version does not answer the first request.
   */
  readonly stderr = null;
  pid: number | null = null;

  readonly #server: ServerProcess;
  readonly #closing = new AbortController();
  readonly #lines = new LineBuffer(maxMcpMessageBytes);
  #conversation: InteractiveProcess | undefined;

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  async start(): Promise<void> {
    const start = await startInteractive({ ...this.#server, signal: this.#closing.signal });
    if (start.kind === "not-started")
      throw new CapabilityError(
        "not-performed",
        "mcp-not-started",
        `The MCP server did not start. ${start.message}`,
      );
    const { conversation } = start;
    this.#conversation = conversation;
    this.pid = conversation.pid;
    conversation.stdout.on("data", (chunk: Buffer) => this.#heard(chunk));
    conversation.stdout.on("error", () => {});
    void conversation.ended.then(() => {
      this.#lines.clear();
      this.onclose?.();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#conversation ?? {};
    if (!stdin?.writable) throw new Error("The MCP server has exited.");
    // If the server reads slowly, unread messages stay in memory. Each waiting caller has at most one such message, so
    // the number of callers bounds the memory.
    stdin.write(serializeMessage(message));
  }

  /** Returns what the server has printed to its standard error, up to a limit. */
  readErrorOutput(): string {
    return this.#conversation?.readErrorOutput() ?? "";
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#conversation?.ended;
  }

  #heard(chunk: Buffer): void {
    try {
      for (const line of this.#lines.push(chunk)) this.#read(line);
    } catch (error) {
      this.onerror?.(error as Error);
      this.#closing.abort();
    }
  }

  #read(line: string): void {
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      // A line that is not a message is reported but does not end the connection, because many servers print text at
      // their start.
      this.onerror?.(error as Error);
    }
  }
}
