import { ParaphProblem, readProblem } from "./paraph-problem.ts";
import { computeBackoffMs, pause } from "./pause.ts";

export interface ClientOptions {
  /** Where Paraph is, such as `https://paraph.example.com`. */
  readonly url: string;
  /** An API key or an access token of the agent. */
  readonly key: string;
  /** The `fetch` to use; the runtime's own unless given. */
  readonly fetch?: typeof fetch;
}

export interface ConnectionRequest {
  readonly method?: "GET" | "POST";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the server may hold the answer back for something to happen. */
  readonly holdMs?: number;
  /** Answered as a stream, which takes as long as it takes. */
  readonly stream?: true;
  readonly signal?: AbortSignal | undefined;
}

export interface ApiConnection {
  readonly url: string;
  /** One request. Throws a ParaphProblem, or the signal's reason. */
  send(path: string, request?: ConnectionRequest): Promise<Response>;
  /** One request and what was answered, as JSON. */
  request<T>(path: string, request?: ConnectionRequest): Promise<T>;
  /** The same, again and again while a problem is passing, for ten seconds: only for what may be asked twice. */
  requestWithRetry<T>(path: string, request?: ConnectionRequest): Promise<T>;
}

const retryTimeoutMs = 10_000;
/** Beyond what the server was asked to hold back. */
const graceMs = 30_000;

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
        // Whole seconds are all that can be asked for: less than one is the asker's own to wait.
        ...(holdMs >= 1_000 && { prefer: `wait=${Math.floor(holdMs / 1_000)}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A key follows no redirect to somewhere else.
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
    return (await response.json().catch((cause: unknown) => {
      request?.signal?.throwIfAborted();
      throw noAnswerProblem(url, cause);
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

export function noAnswerProblem(url: string, cause: unknown): ParaphProblem {
  const detail = `No Paraph answers at ${url}: check the address, or try again.`;
  return new ParaphProblem({ code: "no-answer", status: 0, detail, cause });
}
