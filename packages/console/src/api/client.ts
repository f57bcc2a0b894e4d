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

/** Sends a request whose answer is one JSON value per line, and passes each to `onLine` as it arrives. */
export async function postLines<T>(
  path: string,
  body: object,
  onLine: (line: T) => void,
  signal: AbortSignal,
): Promise<void> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body), signal };
  const response = await fetch(path, init).catch(throwNoAnswer);
  if (!response.ok || !response.body) throw await toError(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch(throwNoAnswer);
    const lines = (rest + (value ?? "")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") onLine(JSON.parse(line) as T);
    if (done) return;
  }
}

function throwNoAnswer(): never {
  throw new NoAnswerError();
}

async function send<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, init).catch((error: unknown) => {
    if (init.method === undefined && init.signal?.aborted) throw error;
    throw new NoAnswerError();
  });
  if (!response.ok) throw await toError(response);
  const body: unknown = await response.json().catch(throwNoAnswer);
  return body as T;
}

async function toError(response: Response): Promise<Error> {
  const body: unknown = await response.json().catch(() => undefined);
  if (response.status === 401) openLogin();
  return isProblem(body) ? new ProblemError(body) : new NoAnswerError();
}

function isProblem(body: unknown): body is Problem {
  return typeof body === "object" && body !== null && "code" in body && "detail" in body;
}

/** Opens the login page, which leads back to this address. */
function openLogin(): void {
  const to = `${location.pathname}${location.search}`;
  location.assign(`/login?${new URLSearchParams({ to })}`);
}
