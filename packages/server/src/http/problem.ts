import { ParaphError } from "@paraph/core";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { isUnavailable } from "../postgres/index.ts";
import { isProblemCode, type ProblemCode, problemTypes, toProblemUrl } from "./problem-types.ts";

interface ProblemExtras {
  readonly headers?: Record<string, string>;
  readonly extra?: Record<string, unknown>;
}

/**
 * A problem for the caller, as in RFC 9457. Its detail says what to do next and contains no value that the caller sent.
 */
export class HttpProblem extends Error {
  readonly code: ProblemCode;
  readonly status: ContentfulStatusCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, detail: string, more: ProblemExtras = {}) {
    super(detail);
    this.name = "Problem";
    this.code = code;
    this.status = problemTypes[code].status;
    this.headers = more.headers ?? {};
    this.extra = more.extra ?? {};
  }
}

/** Converts any thrown error to the problem that the caller may see. */
export function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof ParaphError && isProblemCode(error.code)) {
    return new HttpProblem(error.code, toApiDetail(error.code, error.message), toRetryExtras(error));
  }
  if (error instanceof HTTPException && error.status === 415) return unsupportedContentType();
  if (error instanceof HTTPException && error.status === 400) {
    return new HttpProblem("not-json", "The body cannot be read as JSON.");
  }
  if (isUnavailable(error)) {
    const detail =
      "PostgreSQL does not answer or rejects writes. Repeat the request with the same `Idempotency-Key`.";
    return new HttpProblem("database-unavailable", detail, { headers: { "retry-after": "2" } });
  }
  // [P10] The log gets the error's code. The caller only learns that their request was not the cause.
  return new HttpProblem(
    "internal",
    "The server could not process the request because of an internal error. Try again, and report this `instance` if the error persists.",
  );
}

/** Returns the earliest time for a retry, as a header for clients and as a field for people. */
function toRetryExtras({ retryAt }: ParaphError): ProblemExtras {
  if (retryAt === undefined) return {};
  const seconds = Math.max(1, Math.ceil((retryAt - Date.now()) / 1_000));
  return {
    headers: { "retry-after": String(seconds) },
    extra: { resetAt: new Date(retryAt).toISOString() },
  };
}

/** Returns the response for a problem, as `application/problem+json`. */
export function toProblemResponse(problem: HttpProblem, request: string): Response {
  const body = {
    type: toProblemUrl(problem.code),
    title: problemTypes[problem.code].title,
    status: problem.status,
    detail: problem.message,
    instance: request,
    code: problem.code,
    ...problem.extra,
  };
  return new Response(JSON.stringify(body), {
    status: problem.status,
    headers: { ...problem.headers, "content-type": "application/problem+json" },
  });
}

export const unsupportedContentType = () =>
  new HttpProblem(
    "content-type-unsupported",
    "Send `Content-Type: application/json`, without a content encoding.",
  );

export const unknownCall = () =>
  new HttpProblem("call-unknown", "There is no such call. `GET /v1/calls` lists the calls that you may see.");

export const unknownPlan = () =>
  new HttpProblem(
    "plan-unknown",
    "There is no such plan. `GET /v1/calls?capability=plan.apply` lists the plans that you may see.",
  );

export const unknownApproval = () =>
  new HttpProblem("approval-unknown", "There is no such approval. `GET /v1/approvals` lists open approvals.");

export const unknownCapability = () =>
  new HttpProblem(
    "capability-unknown",
    "There is no such capability. `GET /v1/capabilities` lists the available ones. If the configuration changed, press Enter in the terminal of `paraph dev`, or restart the server.",
  );

/** Replaces core's advice for the command line with advice for callers of the API. */
function toApiDetail(code: ProblemCode, message: string): string {
  // For a plan, core's message starts with the id of the step whose capability is unknown. The detail keeps this
  // prefix.
  if (code === "capability-unknown")
    return truncateDetail(`${/^Step `[\w-]+`: /.exec(message)?.[0] ?? ""}${unknownCapability().message}`);
  if (code === "approval-unknown") return unknownApproval().message;
  if (code === "call-unknown") return unknownCall().message;
  return truncateDetail(message);
}

/** Truncates a detail, because names in the caller's JSON can be as long as the body. */
export function truncateDetail(text: string): string {
  return text.length > 2_000 ? `${text.slice(0, 2_000).toWellFormed()}…` : text;
}
