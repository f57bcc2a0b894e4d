import { escapeInvisible } from "@paraph/core/escape-invisible";
import { CliError, interruptedError } from "../cli-error.ts";
import { exitCode } from "../exit-code.ts";
import type { ServerConnection } from "./connection.ts";
import { parseServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

export interface ApiRequest {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** How long the server may hold the response while it waits for an event. */
  readonly waitMs?: number;
  readonly accept?: string;
  readonly lastEventId?: string;
}

/** An HTTP client for one server and one principal. Every error message says what to do next. */
export interface ApiClient {
  readonly url: string;
  request<T>(path: string, request?: ApiRequest): Promise<T>;
  /** Yields a response of one JSON object per line. */
  lines<T>(path: string, request?: ApiRequest): AsyncIterable<T>;
  /** Yields the text of a response as it arrives. */
  text(path: string): AsyncIterable<string>;
  /** Yields server-sent events as they arrive, until the stream ends or `until` aborts. */
  events(
    path: string,
    options?: { readonly after?: string; readonly until?: AbortSignal },
  ): AsyncIterable<ServerSentEvent>;
}

/** The time for a response, in addition to the requested wait. */
const responseTimeoutMs = 30_000;

/** The longest time that a stream may run. */
const maxStreamMs = 6 * 60 * 60 * 1_000;

export function createApiClient({ url, key }: ServerConnection, signal: AbortSignal): ApiClient {
  return {
    url,
    async request<T>(path: string, request: ApiRequest = {}): Promise<T> {
      const response = await sendRequest(url, key, path, request, signal);
      const text = await response.text().catch((error: unknown) => {
        throw unreachableError(url, error, signal);
      });
      if (!response.ok) throw toProblemError(response.status, text, url);
      return parseBody<T>(text, url);
    },
    async *text(path: string): AsyncGenerator<string, void, void> {
      const response = await sendRequest(url, key, path, {}, signal, maxStreamMs);
      if (!response.ok) throw toProblemError(response.status, await response.text(), url);
      try {
        yield* response.body?.pipeThrough(new TextDecoderStream()) ?? [];
      } catch (error) {
        throw unreachableError(url, error, signal);
      }
    },
    async *events(path, { after, until } = {}) {
      const both = until ? AbortSignal.any([signal, until]) : signal;
      const request = { accept: "text/event-stream", ...(after !== undefined && { lastEventId: after }) };
      const response = await sendRequest(url, key, path, request, both, maxStreamMs);
      if (!response.ok) throw toProblemError(response.status, await response.text(), url);
      try {
        yield* parseServerSentEvents(response.body?.pipeThrough(new TextDecoderStream()) ?? []);
      } catch (error) {
        if (!until?.aborted) throw unreachableError(url, error, signal);
      }
    },
    async *lines<T>(path: string, request: ApiRequest = {}): AsyncGenerator<T, void, void> {
      const response = await sendRequest(url, key, path, request, signal, maxStreamMs);
      if (!response.ok) throw toProblemError(response.status, await response.text(), url);
      let rest = "";
      try {
        for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
          const lines = (rest + piece).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) yield parseBody<T>(line, url);
        }
      } catch (error) {
        throw error instanceof CliError ? error : unreachableError(url, error, signal);
      }
    },
  };
}

function parseBody<T>(text: string, url: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new CliError("not-paraph", `The server at ${url} is not Paraph. Check the address.`, {
      cause: error,
    });
  }
}

async function sendRequest(
  url: string,
  key: string,
  path: string,
  request: ApiRequest,
  signal: AbortSignal,
  patience = responseTimeoutMs,
): Promise<Response> {
  const {
    method = "GET",
    body,
    idempotencyKey,
    lastEventId,
    waitMs = 0,
    accept = "application/json",
  } = request;
  try {
    return await fetch(new URL(path, url), {
      method,
      headers: {
        accept,
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
        ...(waitMs > 0 && { prefer: `wait=${Math.ceil(waitMs / 1_000)}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A redirect would send the API key to another server.
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(waitMs + patience)]),
    });
  } catch (error) {
    throw unreachableError(url, error, signal);
  }
}

function unreachableError(url: string, cause: unknown, signal: AbortSignal): CliError {
  if (signal.aborted) return interruptedError();
  if ((cause as Error).name === "TimeoutError") {
    return new CliError(
      "no-answer",
      `Paraph at ${url} does not answer. Run \`paraph doctor\` to find the cause.`,
      {
        cause,
      },
    );
  }
  return new CliError(
    "no-server",
    `No Paraph answers at ${url}. Start it with \`paraph dev\`, or pass another address with \`--url\` or PARAPH_URL.`,
    { cause },
  );
}

/**
 * Converts an RFC 9457 problem to an error. The API words its advice for HTTP, so some advice is replaced for the
 * command line.
 */
function toProblemError(status: number, text: string, url: string): CliError {
  const { code = `http-${status}`, detail, faults = [] } = parseProblem(text);
  const said =
    adviceByCode[code] ??
    findStepAdvice(code, detail) ??
    (detail === undefined ? `${url} answered ${status}.` : escapeInvisible(detail));
  const list = faults.map(
    ({ file, line, sentence }) => `\n${escapeInvisible(`${file}:${line ?? 1}: ${sentence}`)}`,
  );
  return new CliError(code, said + list.join(""), { exitCode: toProblemExitCode(status, code) });
}

const adviceByCode: Readonly<Record<string, string>> = {
  "not-authenticated": "The API key is not valid here. Check PARAPH_KEY and PARAPH_APPROVER_KEY.",
  "call-unknown": "There is no such call. Run `paraph calls` to list calls.",
  "plan-unknown": "There is no such plan. Run `paraph calls --capability plan.apply` to list plans.",
  "approval-unknown": "There is no such approval. Run `paraph approvals` to list open approvals.",
  "receipt-pending":
    "The call is still open, so it has no receipt yet. Run `paraph show CALL` to see its status.",
  "policy-invalid": "The candidate is not a valid policy set:",
  "role-missing": "Only administrators and auditors can see this. Set PARAPH_APPROVER_KEY to the key of one.",
  "key-reused": "The idempotency key belongs to another request. Choose another `--key`.",
  internal: "The server failed. Try again, and check its log if it fails again.",
};

/** Returns the advice for an unknown capability. In a plan, it names the step. */
function findStepAdvice(code: string, detail: string | undefined): string | undefined {
  if (code !== "capability-unknown") return undefined;
  const step = /^Step `[\w-]+`: /.exec(detail ?? "")?.[0] ?? "";
  return `${step}There is no such capability. Run \`paraph capabilities\` to list capabilities.`;
}

const refusalCodes = [
  "approval-closed",
  "approval-changed",
  "edit-refused",
  "call-closed",
  "call-acting",
  "not-unknown",
  "no-undo",
  "already-undone",
  "frozen",
  "limit-reached",
];

function toProblemExitCode(status: number, code: string) {
  if (status === 401) return exitCode.notAuthenticated;
  if (status === 403 || refusalCodes.includes(code)) return exitCode.refused;
  return code === "receipt-pending" ? exitCode.pending : exitCode.failed;
}

/** A fault in a submitted file. */
interface ProblemFault {
  readonly file: string;
  readonly line?: number;
  readonly sentence: string;
}

function parseProblem(text: string): { code?: string; detail?: string; faults?: ProblemFault[] } {
  try {
    const { code, detail, faults } = JSON.parse(text) as Record<string, unknown>;
    return {
      ...(typeof code === "string" && /^[a-z][a-z0-9-]*$/.test(code) && { code }),
      ...(typeof detail === "string" && { detail }),
      ...(Array.isArray(faults) && { faults: faults as ProblemFault[] }),
    };
  } catch {
    return {};
  }
}
