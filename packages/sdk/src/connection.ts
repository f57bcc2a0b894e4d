import { ParaphProblem, readProblem } from "./paraph-problem.ts";
import { computeBackoffMs, pause } from "./pause.ts";

/** The options of `createClient`. */
export interface ClientOptions {
  /** The base URL of Paraph, such as `https://paraph.example.com`. */
  readonly url: string;
  /** An API key or an access token of the agent. */
  readonly key: string;
  /** The `fetch` to use (default: the runtime's own). */
  readonly fetch?: typeof fetch;
}

/** One HTTP request to the API. */
export interface ConnectionRequest {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The maximum time for which the server holds the response while it waits for an event. */
  readonly holdMs?: number;
  /** Set for a streamed response, which has no timeout. */
  readonly stream?: true;
  readonly signal?: AbortSignal | undefined;
}

/** A connection that sends authenticated requests to the API. */
export interface ApiConnection {
  readonly url: string;
  /**
   * Sends one request. If the request fails, rejects with a ParaphProblem. If the signal aborts, rejects with the
   * signal's reason.
   */
  send(path: string, request?: ConnectionRequest): Promise<Response>;
  /** Sends one request and returns the response body, parsed from JSON. */
  request<T>(path: string, request?: ConnectionRequest): Promise<T>;
  /** Like `request`, but retries transient problems for ten seconds. Use it only for idempotent requests. */
  requestWithRetry<T>(path: string, request?: ConnectionRequest): Promise<T>;
}

const retryTimeoutMs = 10_000;
/** The time that a response may take in addition to the requested hold time. */
const graceMs = 30_000;

/** Creates a connection that authenticates with the agent's key. */
export function createConnection({ url, key, fetch: given = fetch }: ClientOptions): ApiConnection {
  const send: ApiConnection["send"] = async (path, request = {}) => {
    const { method = "GET", body, headers, holdMs = 0, stream, signal } = request;
    signal?.throwIfAborted();
    const limits = [
      ...(signal ? [signal] : []),
      ...(stream ? [] : [AbortSignal.timeout(Math.ceil(holdMs) + graceMs)]),
    ];
    const response = await given(new URL(path, url), {
      method,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        // The `prefer` header takes whole seconds. If the hold time is below one second, the header is omitted and the
        // client itself waits.
        ...(holdMs >= 1_000 && { prefer: `wait=${Math.floor(holdMs / 1_000)}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // Rejects redirects, because a redirect could send the API key to another server.
      redirect: "error",
      signal: AbortSignal.any(limits),
    }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw noAnswerProblem(url, cause);
    });
    if (!response.ok) throw await readProblem(response);
    return response;
  };
  const ask = async <T>(path: string, request?: ConnectionRequest): Promise<T> => {
    const response = await send(path, request);
    if (response.status === 204) return undefined as T;
    return (await response.json().catch((cause: unknown) => {
      request?.signal?.throwIfAborted();
      throw cause instanceof SyntaxError ? notParaphProblem(url, cause) : noAnswerProblem(url, cause);
    })) as T;
  };
  return {
    url,
    send,
    request: ask,
    async requestWithRetry<T>(path: string, request: ConnectionRequest = {}) {
      const end = performance.now() + retryTimeoutMs;
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await ask<T>(path, request);
        } catch (error) {
          const ms = computeBackoffMs(attempt);
          const passing = error instanceof ParaphProblem && error.isTransient;
          if (!passing || performance.now() + ms > end) throw error;
          await pause(ms, request.signal);
        }
      }
    },
  };
}

/** Creates the problem for a server that does not answer. */
export function noAnswerProblem(url: string, cause: unknown): ParaphProblem {
  const detail = `The Paraph server at ${url} does not answer. Check the address, or try again.`;
  return new ParaphProblem({ code: "no-answer", status: 0, detail, cause });
}

/** Creates the problem for a response that is not JSON. */
function notParaphProblem(url: string, cause: unknown): ParaphProblem {
  const detail = `The server at ${url} is not Paraph. Check the address.`;
  return new ParaphProblem({ code: "not-paraph", status: 200, detail, cause });
}
