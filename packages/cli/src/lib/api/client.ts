import { escapeInvisible } from "@paraph/core/escape-invisible";
import {
  type ConnectionRequest,
  createConnection,
  ParaphProblem,
  parseServerSentEvents,
  type ServerSentEvent,
} from "@paraph/sdk/api";
import { CliError, interruptedError } from "../cli-error.ts";
import { exitCode } from "../exit-code.ts";
import type { ServerConnection } from "./connection.ts";
import { formatUnreachable } from "./explain-unreachable.ts";

export interface ApiRequest {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** The time for which the server may hold the response while it waits for an event. */
  readonly waitMs?: number;
  readonly accept?: string;
}

/** An HTTP client for one server and one principal. Every error message says what to do next. */
export interface ApiClient {
  readonly url: string;
  request<T>(path: string, request?: ApiRequest): Promise<T>;
  /** Requests a call. `isReplay` is set if an earlier request with the same idempotency key made the call. */
  requestCall<T>(
    path: string,
    request: ApiRequest,
  ): Promise<{ readonly call: T; readonly isReplay: boolean }>;
  /** Yields each object of a response that contains one JSON object per line. */
  lines<T>(path: string, request?: ApiRequest): AsyncIterable<T>;
  /** Yields the text of a response as it arrives. */
  text(path: string): AsyncIterable<string>;
  /** Yields server-sent events as they arrive, until the stream ends or `until` aborts. */
  events(
    path: string,
    options?: { readonly after?: string; readonly until?: AbortSignal },
  ): AsyncIterable<ServerSentEvent>;
}

export function createApiClient({ url, key }: ServerConnection, signal: AbortSignal): ApiClient {
  const connection = createConnection({ url, key });

  /** Yields the text of a streamed response as it arrives. */
  async function* stream(path: string, request: ConnectionRequest): AsyncGenerator<string, void, void> {
    const response = await connection.send(path, { signal, ...request, stream: true });
    yield* response.body?.pipeThrough(new TextDecoderStream()) ?? [];
  }

  return {
    url,
    async request<T>(path: string, request: ApiRequest = {}): Promise<T> {
      try {
        return await connection.request<T>(path, { ...toConnectionRequest(request), signal });
      } catch (error) {
        throw toCliError(error, url, signal);
      }
    },
    async requestCall<T>(path: string, request: ApiRequest) {
      try {
        const response = await connection.send(path, { ...toConnectionRequest(request), signal });
        const isReplay = response.headers.get("idempotent-replay") === "true";
        return { call: (await response.json()) as T, isReplay };
      } catch (error) {
        throw toCliError(error, url, signal);
      }
    },
    async *text(path: string): AsyncGenerator<string, void, void> {
      try {
        yield* stream(path, {});
      } catch (error) {
        throw toCliError(error, url, signal);
      }
    },
    async *events(path, { after, until } = {}) {
      const headers = {
        accept: "text/event-stream",
        ...(after !== undefined && { "last-event-id": after }),
      };
      const both = until ? AbortSignal.any([signal, until]) : signal;
      try {
        yield* parseServerSentEvents(stream(path, { headers, signal: both }));
      } catch (error) {
        if (!until?.aborted) throw toCliError(error, url, signal);
      }
    },
    async *lines<T>(path: string, request: ApiRequest = {}): AsyncGenerator<T, void, void> {
      let rest = "";
      try {
        for await (const piece of stream(path, toConnectionRequest(request))) {
          const lines = (rest + piece).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) yield JSON.parse(line) as T;
        }
      } catch (error) {
        throw toCliError(error, url, signal);
      }
    },
  };
}

function toConnectionRequest(request: ApiRequest): ConnectionRequest {
  const { method, body, idempotencyKey, waitMs, accept } = request;
  return {
    ...(method && { method }),
    ...(body !== undefined && { body }),
    ...(waitMs !== undefined && { holdMs: waitMs }),
    headers: {
      ...(accept !== undefined && { accept }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
  };
}

/**
 * Converts an error of the API or the connection to a `CliError`. The API words its advice for HTTP clients, so the
 * function replaces some advice with advice for the command line.
 */
function toCliError(error: unknown, url: string, signal: AbortSignal): CliError {
  if (signal.aborted) return interruptedError();
  if (error instanceof CliError) return error;
  if (error instanceof SyntaxError) return notParaphError(url, error);
  if (!(error instanceof ParaphProblem) || error.status === 0) return unreachableError(url, error);
  const { code, status, message, faults } = error;
  if (code === "not-paraph") return notParaphError(url, error);
  const said = adviceByCode[code] ?? findStepAdvice(code, message) ?? escapeInvisible(message);
  const list = faults.map(
    ({ file, line, sentence }) => `\n${escapeInvisible(`${file}:${line ?? 1}: ${sentence}`)}`,
  );
  return new CliError(code, said + list.join(""), { exitCode: toProblemExitCode(status, code) });
}

function notParaphError(url: string, cause: unknown): CliError {
  return new CliError("not-paraph", `The server at ${url} is not Paraph. Check the address.`, { cause });
}

function unreachableError(url: string, error: unknown): CliError {
  const cause = error instanceof ParaphProblem ? error.cause : error;
  const code = (cause as Error).name === "TimeoutError" ? "no-answer" : "no-server";
  return new CliError(code, formatUnreachable(url, cause), { cause });
}

const adviceByCode: Readonly<Record<string, string>> = {
  "not-authenticated":
    "The API key is not valid here. If it is new, the request that creates it may still wait for approval. Otherwise check PARAPH_KEY and PARAPH_APPROVER_KEY, or store another key with `paraph login`.",
  "database-unavailable": "PostgreSQL does not answer, or rejects writes. Try again.",
  "call-unknown": "There is no such call. Run `paraph calls` to list calls.",
  "plan-unknown": "There is no such plan. Run `paraph calls --capability plan.apply` to list plans.",
  "approval-unknown": "There is no such approval. Run `paraph approvals` to list open approvals.",
  "receipt-pending":
    "The call is still open, so it has no receipt yet. Run `paraph show CALL` to see its status.",
  "policy-invalid": "The candidate is not a valid policy set:",
  "role-missing":
    "Only administrators and auditors can see this. Set PARAPH_APPROVER_KEY to the key of an administrator or an auditor.",
  "key-reused": "The idempotency key belongs to another request. Choose another `--key`.",
  internal: "The server failed. Try again, and check its log if it fails again.",
};

/** Returns the advice for an unknown capability. For a plan, the advice also names the step. */
function findStepAdvice(code: string, detail: string | undefined): string | undefined {
  if (code !== "capability-unknown") return undefined;
  const step = /^Step `[\w-]+`: /.exec(detail ?? "")?.[0] ?? "";
  return `${step}There is no such capability. ${unknownCapabilityAdvice}`;
}

export const unknownCapabilityAdvice =
  "Run `paraph capabilities` to list capabilities. If you changed the configuration, press Enter in the terminal of `paraph dev`, or restart the server.";

const refusalCodes = [
  "approval-closed",
  "approval-changed",
  "edit-refused",
  "call-closed",
  "call-acting",
  "not-unknown",
  "not-retryable",
  "no-undo",
  "call-erased",
  "already-undone",
  "frozen",
  "limit-reached",
];

function toProblemExitCode(status: number, code: string) {
  if (status === 401) return exitCode.notAuthenticated;
  if (status === 403 || refusalCodes.includes(code)) return exitCode.refused;
  return code === "receipt-pending" ? exitCode.pending : exitCode.failed;
}
