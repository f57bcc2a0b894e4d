/** What was asked is no call, or cannot be answered. `code` says which problem it is, the message what to do about it. */
export class ParaphProblem extends Error {
  override readonly name = "ParaphProblem";
  /** As the API names it (`input-invalid`, `key-reused`, `frozen` …), or `no-answer` where nobody answered. */
  readonly code: string;
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** The id of the request, for who reads the server's log. */
  readonly instance: string | undefined;
  /** When it is worth trying again, where the server says so. */
  readonly retryAfterMs: number | undefined;

  constructor(
    given: Pick<ParaphProblem, "code" | "status"> & {
      detail: string;
      instance?: string;
      retryAfterMs?: number;
      cause?: unknown;
    },
  ) {
    super(given.detail, given.cause === undefined ? undefined : { cause: given.cause });
    this.code = given.code;
    this.status = given.status;
    this.instance = given.instance;
    this.retryAfterMs = given.retryAfterMs;
  }

  /** It may go away by itself, and asking again does no harm. */
  get isTransient(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

/** RFC 9457, or whatever else stands between us and Paraph. */
export async function readProblem(response: Response): Promise<ParaphProblem> {
  const said = await response.json().catch(() => ({}));
  const { code, detail, instance } = (said ?? {}) as Record<string, unknown>;
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ParaphProblem({
    code: typeof code === "string" ? code : `http-${response.status}`,
    status: response.status,
    detail: typeof detail === "string" ? detail : `The server answered ${response.status}.`,
    ...(typeof instance === "string" && { instance }),
    ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1_000 }),
  });
}
