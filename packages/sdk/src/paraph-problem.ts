/**
 * An error which means that a request to the API is invalid or could not be answered. `code` identifies the problem,
 * and the message says what to do.
 */
export class ParaphProblem extends Error {
  override readonly name = "ParaphProblem";
  /**
   * The code from the API, such as `input-invalid`, `key-reused` or `frozen`. It is `no-answer` if there was no
   * response, and `not-paraph` if the response was not JSON.
   */
  readonly code: string;
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  /** The id of the request. Use it to find the request in the server's log. */
  readonly instance: string | undefined;
  /** The time in milliseconds to wait before a retry, or undefined if the server does not state it. */
  readonly retryAfterMs: number | undefined;
  /** The faults in submitted files, such as policy files. */
  readonly faults: readonly ProblemFault[];

  constructor(
    given: Pick<ParaphProblem, "code" | "status"> & {
      detail: string;
      instance?: string;
      retryAfterMs?: number;
      faults?: readonly ProblemFault[];
      cause?: unknown;
    },
  ) {
    super(given.detail, given.cause === undefined ? undefined : { cause: given.cause });
    this.code = given.code;
    this.status = given.status;
    this.instance = given.instance;
    this.retryAfterMs = given.retryAfterMs;
    this.faults = given.faults ?? [];
  }

  /** Whether the problem may be temporary. If it is temporary, the same request may succeed later. */
  get isTransient(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

/** A fault in a submitted file. */
export interface ProblemFault {
  readonly file: string;
  readonly line?: number;
  readonly sentence: string;
}

/**
 * Reads an RFC 9457 problem from a response. Any other body, such as the error page of a proxy, becomes a problem with
 * the code `http-<status>`.
 */
export async function readProblem(response: Response): Promise<ParaphProblem> {
  const said = await response.json().catch(() => ({}));
  const { code, detail, instance, faults } = (said ?? {}) as Record<string, unknown>;
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ParaphProblem({
    code: typeof code === "string" && /^[a-z][a-z0-9-]*$/.test(code) ? code : `http-${response.status}`,
    status: response.status,
    detail: typeof detail === "string" ? detail : explainStatus(response.status),
    ...(typeof instance === "string" && { instance }),
    ...(Array.isArray(faults) && { faults: faults as ProblemFault[] }),
    ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1_000 }),
  });
}

/** Paraph itself never answers with 502 or 504. A proxy does if it cannot reach Paraph. */
function explainStatus(status: number): string {
  return status === 502 || status === 504
    ? `The proxy answered ${status}: it cannot reach Paraph. Check that Paraph runs and has finished its start.`
    : `The server answered ${status}.`;
}
