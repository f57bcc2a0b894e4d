import { ParaphProblem, problemIn } from "./paraph-problem.ts";
import { pause, pauseBefore } from "./pause.ts";

export interface ConnectionOptions {
  /** Where Paraph is, such as `https://paraph.example.com`. */
  readonly url: string;
  /** An API key or an access token of the agent. */
  readonly key: string;
  /** The `fetch` to use; the runtime's own unless given. */
  readonly fetch?: typeof fetch;
}

export interface Request {
  readonly method?: "GET" | "POST";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the server may hold the answer back for something to happen. */
  readonly holdMs?: number;
  /** Answered as a stream, which takes as long as it takes. */
  readonly stream?: true;
  readonly signal?: AbortSignal | undefined;
}

export interface Connection {
  readonly url: string;
  /** One request. Throws a ParaphProblem, or the signal's reason. */
  send(path: string, request?: Request): Promise<Response>;
  /** The same, again and again while a problem is passing, for `patienceMs`: only for what may be asked twice. */
  insist(path: string, request: Request, patienceMs: number): Promise<Response>;
}

/** Beyond what the server was asked to hold back. */
const graceMs = 30_000;

export function connectionTo({ url, key, fetch: given = fetch }: ConnectionOptions): Connection {
  const send: Connection["send"] = async (path, request = {}) => {
    const { method = "GET", body, headers, holdMs = 0, stream, signal } = request;
    signal?.throwIfAborted();
    const limits = [...(signal ? [signal] : []), ...(stream ? [] : [AbortSignal.timeout(holdMs + graceMs)])];
    const response = await given(new URL(path, url), {
      method,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(holdMs > 0 && { prefer: `wait=${Math.min(60, Math.ceil(holdMs / 1_000))}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A key follows no redirect to somewhere else.
      redirect: "error",
      signal: AbortSignal.any(limits),
    }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw noAnswer(url, cause);
    });
    if (!response.ok) throw await problemIn(response);
    return response;
  };
  return {
    url,
    send,
    async insist(path, request, patienceMs) {
      const end = performance.now() + patienceMs;
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await send(path, request);
        } catch (error) {
          const ms = pauseBefore(attempt);
          const passing = error instanceof ParaphProblem && error.passing;
          if (!passing || performance.now() + ms > end) throw error;
          await pause(ms, request.signal);
        }
      }
    },
  };
}

export function noAnswer(url: string, cause: unknown): ParaphProblem {
  const detail = `No Paraph answers at ${url}: check the address, or try again.`;
  return new ParaphProblem({ code: "no-answer", status: 0, detail, cause });
}

/** The answer's body as JSON; a connection that breaks meanwhile is a problem like any other. */
export async function bodyOf<T>(connection: Connection, response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (cause) {
    throw noAnswer(connection.url, cause);
  }
}
