import { parseServerSentEvents } from "../../lib/api/server-sent-events.ts";

/** A JSON-RPC message, as far as whoever passes it on has to know it. */
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
  /** Where MCP is spoken over HTTP. */
  readonly url: string;
  readonly key: string;
  readonly signal: AbortSignal;
  /** One message for the client. */
  readonly write: (message: unknown) => void;
  /** How long what was asked may still be answered after the input has ended: 5 s unless given. */
  readonly graceMs?: number;
}

/**
 * MCP over standard input and output, for clients that only start programs: each message is a request of its own, and what
 * comes back goes on as it came. Ends when the input does, once everything that was asked is answered or a moment has passed:
 * a client that is gone is not to be taken for one that got its result.
 */
export async function runMcpBridge(lines: AsyncIterable<string>, given: BridgeOptions): Promise<void> {
  const leaving = new AbortController();
  const options = { ...given, signal: AbortSignal.any([given.signal, leaving.signal]) };
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
    // Whoever begins has to have begun before anything else is said.
    if (message.method === "initialize") await passed;
  }
  const grace = setTimeout(() => leaving.abort(), given.graceMs ?? 5_000);
  await Promise.all(passing);
  clearTimeout(grace);
}

/** What a client of an older era is known by, and which era that is. */
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
  } catch {
    // What its client took back needs no answer, and neither does anything once it is gone.
    if (ending.aborted || signal.aborted || answered.is || message.id === undefined) return;
    write(createErrorResponse(message.id, -32000, `Paraph does not answer at ${url}: is it running?`));
  }
}

async function* readMessages(response: Response): AsyncGenerator<unknown> {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    const text = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
    for await (const { data } of parseServerSentEvents(text)) yield data;
  } else if (type.startsWith("application/json")) yield await response.json();
}

/** Of an answer that is no message: a problem says what to do. */
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

/** What MCP 2026-07-28 wants said outside the body too; older eras know nothing of it. */
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

/** A header holds visible characters; anything else goes as MCP says. */
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
