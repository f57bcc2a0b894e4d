import { CliError, interrupted } from "./cli-error.ts";
import type { Connection } from "./connection.ts";
import { exitCode } from "./exit-code.ts";
import { visible } from "./visible.ts";

export interface Request {
  readonly method?: "GET" | "POST";
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** How long the server may hold the answer back for something to happen. */
  readonly waitMs?: number;
  readonly accept?: string;
}

/** Speaks HTTP with one server as one speaker. Every failure is a sentence that says what to do next. */
export interface Client {
  readonly url: string;
  ask<T>(path: string, request?: Request): Promise<T>;
}

/** Beyond what the server was asked to wait. */
const patienceMs = 30_000;

export function clientFor({ url, key }: Connection, signal: AbortSignal): Client {
  return {
    url,
    async ask<T>(path: string, request: Request = {}): Promise<T> {
      const response = await send(url, key, path, request, signal);
      const text = await response.text().catch((error: unknown) => {
        throw unreachable(url, error, signal);
      });
      if (!response.ok) throw problem(response.status, text, url);
      try {
        return JSON.parse(text) as T;
      } catch (error) {
        throw new CliError("not-paraph", `What answers at ${url} is not Paraph: check the address.`, {
          cause: error,
        });
      }
    },
  };
}

async function send(
  url: string,
  key: string,
  path: string,
  request: Request,
  signal: AbortSignal,
): Promise<Response> {
  const { method = "GET", body, idempotencyKey, waitMs = 0, accept = "application/json" } = request;
  try {
    return await fetch(new URL(path, url), {
      method,
      headers: {
        accept,
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        ...(waitMs > 0 && { prefer: `wait=${Math.ceil(waitMs / 1_000)}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A key follows no redirect to somewhere else.
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(waitMs + patienceMs)]),
    });
  } catch (error) {
    throw unreachable(url, error, signal);
  }
}

function unreachable(url: string, cause: unknown, signal: AbortSignal): CliError {
  if (signal.aborted) return interrupted();
  if ((cause as Error).name === "TimeoutError") {
    return new CliError("no-answer", `Paraph at ${url} does not answer: \`paraph doctor\` says more.`, {
      cause,
    });
  }
  return new CliError(
    "no-server",
    `No Paraph answers at ${url}: start it with \`paraph dev\`, or name another with \`--url\` or PARAPH_URL.`,
    { cause },
  );
}

/** RFC 9457. The API words its advice for HTTP; here it is for the command line. */
function problem(status: number, text: string, url: string): CliError {
  const { code = `http-${status}`, detail } = problemIn(text);
  const said = advice[code] ?? (detail === undefined ? `${url} answered ${status}.` : visible(detail));
  return new CliError(code, said, { exitCode: exitCodeOfProblem(status, code) });
}

const advice: Readonly<Record<string, string>> = {
  "not-authenticated": "The key is not in force here: check PARAPH_KEY and PARAPH_APPROVER_KEY.",
  "call-unknown": "There is no such call: `paraph calls` lists them.",
  "approval-unknown": "There is no such approval: `paraph approvals` lists the open ones.",
  "capability-unknown": "There is no such capability: `paraph capabilities` lists them.",
  "receipt-pending":
    "The call is not over, so there is no receipt yet: `paraph show CALL` says what it waits for.",
  "key-reused": "The key named another request before: choose another `--key`.",
  internal: "Something went wrong in the server: try again, and look at its log if it stays.",
};

function exitCodeOfProblem(status: number, code: string) {
  if (status === 401) return exitCode.notAuthenticated;
  if (status === 403 || code === "approval-closed" || code === "approval-changed") return exitCode.refused;
  return code === "receipt-pending" ? exitCode.pending : exitCode.failed;
}

function problemIn(text: string): { code?: string; detail?: string } {
  try {
    const { code, detail } = JSON.parse(text) as Record<string, unknown>;
    return {
      ...(typeof code === "string" && /^[a-z][a-z0-9-]*$/.test(code) && { code }),
      ...(typeof detail === "string" && { detail }),
    };
  } catch {
    return {};
  }
}
