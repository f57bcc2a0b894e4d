import type { Problem } from "./types.ts";

/** A response in which the server explains why it did not do what was asked. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = "ProblemError";
    this.problem = problem;
  }
}

/** A request without a readable response. The server may have handled it. */
export class NoAnswerError extends Error {
  constructor() {
    super("The server did not answer.");
    this.name = "NoAnswerError";
  }
}

/** Reads a resource of the API as the logged-in person. */
export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return send<T>(path, signal ? { signal } : {});
}

/** Sends a change. The browser adds the session cookie and the `Origin` header that the server requires. */
export function post<T>(path: string, body: object, extra: Record<string, string> = {}): Promise<T> {
  const headers = { "content-type": "application/json", ...extra };
  return send<T>(path, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
}

async function send<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, init).catch((error: unknown) => {
    if (init.method === undefined && init.signal?.aborted) throw error;
    throw new NoAnswerError();
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && body !== undefined) return body as T;
  if (response.status === 401) openLogin();
  if (isProblem(body)) throw new ProblemError(body);
  throw new NoAnswerError();
}

function isProblem(body: unknown): body is Problem {
  return typeof body === "object" && body !== null && "code" in body && "detail" in body;
}

/** Opens the login page, which leads back to this address. */
function openLogin(): void {
  const to = `${location.pathname}${location.search}`;
  location.assign(`/login?${new URLSearchParams({ to })}`);
}
