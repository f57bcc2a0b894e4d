import { parseServerSentEvents } from "@paraph/sdk/api";
import { formatUnreachable } from "../../lib/api/explain-unreachable.ts";

/** The fields of a JSON-RPC message that the bridge needs. */
interface JsonRpcMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly _meta?: Readonly<Record<string, unknown>>;
    readonly requestId?: string | number;
    readonly [name: string]: unknown;
  };
}

export interface BridgeOptions {
  /** The URL of the MCP endpoint. */
  readonly url: string;
  readonly key: string;
  readonly signal: AbortSignal;
  /** Writes one message to the client. */
  readonly write: (message: unknown) => void;
  /** The time in which Paraph may still answer requests after the end of the input (default: 5 s). */
  readonly graceMs?: number;
}

/**
 * Bridges MCP from standard input and output to HTTP, for clients that can only start programs. Each message is one
 * HTTP request, and the bridge passes the responses on unchanged. After the input ends, the bridge waits until all
 * requests are answered or the grace period has passed. The bridge then aborts the remaining requests. The abort tells
 * the server that the client has gone and did not get the results.
 */
export async function runMcpBridge(
  lines: AsyncIterable<string>,
  bridgeOptions: BridgeOptions,
): Promise<void> {
  const leaving = new AbortController();
  const options = { ...bridgeOptions, signal: AbortSignal.any([bridgeOptions.signal, leaving.signal]) };
  const underWay = new Map<string | number, AbortController>();
  const passing = new Set<Promise<void>>();
  const session = new BridgeSession();
  for await (const line of lines) {
    const message = parseMessage(line);
    if (!message) {
      options.write(createErrorResponse(null, -32700, "This is not JSON."));
      continue;
    }
    if (message.method === "notifications/cancelled" && message.params?.requestId !== undefined) {
      underWay.get(message.params.requestId)?.abort();
      continue;
    }
    const ending = new AbortController();
    if (message.id !== undefined) underWay.set(message.id, ending);
    const passed = forwardMessage(message, line, session, ending.signal, options).finally(() => {
      if (message.id !== undefined) underWay.delete(message.id);
      passing.delete(passed);
    });
    passing.add(passed);
    // The handshake must complete before the next message is sent.
    if (message.method === "initialize") await passed;
  }
  const grace = setTimeout(() => leaving.abort(), bridgeOptions.graceMs ?? 5_000);
  await Promise.all(passing);
  clearTimeout(grace);
}

/** The session headers of a client that uses an older protocol version. */
class BridgeSession {
  headers: Record<string, string> = {};
}

async function forwardMessage(
  message: JsonRpcMessage,
  line: string,
  session: BridgeSession,
  ending: AbortSignal,
  { url, key, signal, write }: BridgeOptions,
): Promise<void> {
  const answered = { is: false };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...session.headers,
        ...buildMcpHeaders(message),
      },
      body: line,
      signal: AbortSignal.any([signal, ending]),
    });
    for await (const one of readMessages(response)) {
      const { id, result } = one as { id?: unknown; result?: { protocolVersion?: unknown } };
      if (id !== undefined && id === message.id) answered.is = true;
      if (message.method === "initialize" && result) session.headers = readSessionHeaders(response, result);
      write(one);
    }
    if (answered.is || message.id === undefined) return;
    write(createErrorResponse(message.id, -32000, await readProblemDetail(response)));
  } catch (error) {
    // Sends no error if the request is cancelled or already answered, if the message is not a request, or if the client
    // is gone.
    if (ending.aborted || signal.aborted || answered.is || message.id === undefined) return;
    write(createErrorResponse(message.id, -32000, formatUnreachable(url, error)));
  }
}

async function* readMessages(response: Response): AsyncGenerator<unknown> {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    const text = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
    for await (const { data } of parseServerSentEvents(text)) yield data;
  } else if (type.startsWith("application/json")) yield await response.json();
}

/** Returns the problem detail of an HTTP response that contains no JSON-RPC message. */
async function readProblemDetail(response: Response): Promise<string> {
  const { detail } = (response.bodyUsed ? {} : await response.json().catch(() => ({}))) as {
    detail?: unknown;
  };
  return typeof detail === "string" ? detail : `Paraph answered with HTTP ${response.status}.`;
}

function readSessionHeaders(
  response: Response,
  { protocolVersion }: { protocolVersion?: unknown },
): Record<string, string> {
  const session = response.headers.get("mcp-session-id");
  return {
    ...(session !== null && { "mcp-session-id": session }),
    ...(typeof protocolVersion === "string" && { "mcp-protocol-version": protocolVersion }),
  };
}

const nameFields: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** Builds the headers that MCP 2026-07-28 requires in addition to the body. Older versions ignore them. */
function buildMcpHeaders({ method = "", params }: JsonRpcMessage): Record<string, string> {
  const version = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  if (typeof version !== "string") return {};
  const name = params?.[nameFields[method] ?? ""];
  return {
    "mcp-protocol-version": encodeHeader(version),
    "mcp-method": encodeHeader(method),
    ...(typeof name === "string" && { "mcp-name": encodeHeader(name) }),
  };
}

/**
 * Encodes a header value as MCP specifies, unless it consists of visible ASCII characters with single spaces between
 * them.
 */
function encodeHeader(text: string): string {
  return /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

function parseMessage(line: string): JsonRpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function createErrorResponse(id: string | number | null, code: number, message: string) {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
