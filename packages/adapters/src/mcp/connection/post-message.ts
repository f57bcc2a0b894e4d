import { Readable } from "node:stream";
import { type Dispatcher, request } from "undici";
import type { HttpAgents } from "../../egress/http-agents.ts";
import { maxMcpMessageBytes } from "./process-transport.ts";
import { getRequestScope, type RequestScope } from "./request-scope.ts";

export interface ServerMessage {
  readonly to: string | URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Posts one message to a server. A tool call may have an effect, and an idle connection could lose the call unnoticed.
 * Such a call therefore uses a new connection. Reads share connections, and Paraph repeats a read if its connection
 * breaks.
 */
export async function postMessage(message: ServerMessage, agents: HttpAgents): Promise<Response> {
  const isRead = getRequestScope()?.isRead === true;
  if (isToolCall(message) && !isRead) return sendOver(agents.writeAgent, message);
  try {
    return await sendOver(agents.readAgent, message);
  } catch (error) {
    if (!isRead || !isConnectionBroken(error) || message.signal?.aborted) throw error;
    return sendOver(agents.writeAgent, message);
  }
}

function isToolCall({ body }: ServerMessage): boolean {
  return body.includes('"tools/call"');
}

function isConnectionBroken(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE";
}

async function sendOver(
  dispatcher: Dispatcher,
  { to, headers, body, signal }: ServerMessage,
): Promise<Response> {
  const answer = await request(to, {
    method: "POST",
    dispatcher,
    headers,
    body,
    ...(signal && { signal }),
  });
  const init = { status: answer.statusCode, headers: toHeaders(answer.headers) };
  if (String(answer.headers["content-type"]).startsWith("text/event-stream"))
    return limitResponse(new Response(Readable.toWeb(answer.body) as ReadableStream<Uint8Array>, init));
  const whole = await readWhole(answer.body);
  // If a status allows no body, the `Response` constructor rejects even an empty text. An empty body is therefore
  // passed as null.
  return new Response(whole === "" ? null : whole, init);
}

/** Copies the headers, including repeated ones. */
function toHeaders(given: Dispatcher.ResponseData["headers"]): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const each of [value].flat()) if (each !== undefined) headers.append(name, each);
  return headers;
}

async function readWhole(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > maxMcpMessageBytes) throw rejectTooLarge(getRequestScope());
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** [TRUST 24] Limits the size of a response. Aborts a response that exceeds the limit. */
export function limitResponse(response: Response): Response {
  if (!response.body) return response;
  // A transform may run outside the scope of its request.
  const scope = getRequestScope();
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > maxMcpMessageBytes) controller.error(rejectTooLarge(scope));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}

function rejectTooLarge(scope: RequestScope | undefined): Error {
  scope?.onTooLarge();
  return new Error("The MCP server's response exceeds the size limit.");
}
