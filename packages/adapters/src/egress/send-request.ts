import type { IncomingHttpHeaders } from "node:http";
import { type Dispatcher, request } from "undici";
import type { HttpAgents } from "./http-agents.ts";
import { redirectFault, toNetworkFault } from "./http-fault.ts";
import { isReadMethod } from "./read-method.ts";

/** One outgoing request. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that hold a secret. They are sent only to the origin of the URL. */
  readonly secretHeaders?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** The maximum size of the body. A longer body is cut. */
  readonly maxBytes: number;
  /**
   * Whether a redirect to this URL may be followed. By default, no redirect is followed. Only reads follow redirects.
   */
  readonly canFollow?: (url: URL) => boolean;
}

/** A response as received. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the body was longer than `maxBytes`. */
  readonly cut: boolean;
}

const maxRedirects = 5;

/** Sends the request and reads the response. Throws only faults that the retry rule can classify. */
export async function sendRequest(agents: HttpAgents, outgoing: OutgoingRequest): Promise<RawResponse> {
  let hop = outgoing;
  for (let hops = 0; ; hops++) {
    const answered = await sendOnce(agents, hop);
    const next = toRedirectedRequest(hop, answered);
    if (!next) return answered;
    if (hops === maxRedirects) throw redirectFault("too-many-redirects", "The host redirects too often.");
    hop = next;
  }
}

async function sendOnce(
  agents: HttpAgents,
  { method, url, headers, secretHeaders, body, signal, maxBytes }: OutgoingRequest,
): Promise<RawResponse> {
  try {
    const response = await request(url, {
      dispatcher: isReadMethod(method) ? agents.readAgent : agents.writeAgent,
      method: method as Dispatcher.HttpMethod,
      headers: { "user-agent": "paraph", "accept-encoding": "identity", ...headers, ...secretHeaders },
      ...(body !== undefined && { body }),
      signal,
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      ...(await readBody(response.body, maxBytes)),
    };
  } catch (error) {
    throw toNetworkFault(error);
  }
}

async function readBody(
  stream: Dispatcher.ResponseData["body"],
  maxBytes: number,
): Promise<Pick<RawResponse, "body" | "cut">> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop closes the connection, so the rest of the body is not read.
    if (size > maxBytes) return { body: Buffer.concat(chunks).subarray(0, maxBytes), cut: true };
  }
  return { body: Buffer.concat(chunks), cut: false };
}

/**
 * [TRUST 17] Returns the request for a redirect. Only reads are redirected, only to allowed URLs, and without secrets
 * if the origin differs.
 */
function toRedirectedRequest(
  hop: OutgoingRequest,
  { status, headers }: RawResponse,
): OutgoingRequest | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  if (!isReadMethod(hop.method) || !hop.canFollow) return undefined;
  const location = [headers.location].flat()[0];
  const url =
    location === undefined || !URL.canParse(location, hop.url.href) ? undefined : new URL(location, hop.url);
  if (!url || url.username || url.password || !hop.canFollow(url))
    throw redirectFault(
      "redirect-refused",
      "The host redirects to a URL that the configuration does not allow.",
    );
  const { secretHeaders, ...rest } = hop;
  const same = url.origin === hop.url.origin;
  return { ...rest, url, ...(same && secretHeaders && { secretHeaders }) };
}
