import { ParaphError } from "@paraph/core";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { isUnavailable } from "../postgres/index.ts";

/** The problem codes of the API, each with its status and title. */
export const problemTypes = {
  "not-json": [400, "The body is not acceptable JSON"],
  "parameter-invalid": [400, "A parameter or header is not valid"],
  "not-authenticated": [401, "Not authenticated"],
  "origin-not-allowed": [403, "Request from another site"],
  "scope-missing": [403, "The API key lacks a scope"],
  "approver-not-allowed": [403, "Not allowed to decide"],
  "role-missing": [403, "A role is missing"],
  "not-found": [404, "Not found"],
  "principal-frozen": [403, "The person is frozen"],
  "principal-disabled": [403, "The principal is disabled"],
  "call-unknown": [404, "No such call"],
  "plan-unknown": [404, "No such plan"],
  "approval-unknown": [404, "No such approval"],
  "capability-unknown": [404, "No such capability"],
  "receipt-pending": [404, "No receipt yet"],
  "method-not-allowed": [405, "Method not allowed"],
  "key-reused": [409, "The idempotency key belongs to another request"],
  "approval-closed": [409, "The approval is closed"],
  "approval-changed": [409, "The approval has changed"],
  "edit-refused": [409, "The edit is refused"],
  "call-closed": [409, "The call has ended"],
  "call-acting": [409, "The call is already being performed"],
  "not-offered": [409, "The call is not offered"],
  "already-claimed": [409, "The call is already claimed"],
  "not-claimed": [409, "The call was not claimed with this claim token"],
  "report-late": [409, "The deadline for the report has passed"],
  "not-unknown": [409, "The call has no unknown outcome"],
  "no-undo": [409, "The call can't be undone"],
  "already-undone": [409, "The call is already undone or being undone"],
  "body-too-large": [413, "The body is too large"],
  "content-type-unsupported": [415, "The body must be JSON"],
  "body-invalid": [422, "The body is not valid"],
  "key-reserved": [422, "The idempotency key is reserved"],
  "input-invalid": [422, "The input does not match the capability's schema"],
  "policy-invalid": [422, "The policy set is not valid"],
  frozen: [423, "Frozen"],
  "limit-reached": [429, "A limit is reached"],
  internal: [500, "Internal error"],
  "capability-unavailable": [503, "The capability is unavailable"],
  "database-unavailable": [503, "The database is unavailable"],
  "not-ready": [503, "Not ready"],
  "identity-unavailable": [503, "The identity provider does not answer"],
  "policy-unsettled": [503, "Policy is being changed"],
} as const satisfies Record<string, readonly [ContentfulStatusCode, string]>;

/** The stable code of a problem. */
export type ProblemCode = keyof typeof problemTypes;

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
    this.status = problemTypes[code][0];
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
    type: `https://paraph.dev/problems/${problem.code}`,
    title: problemTypes[problem.code][1],
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
    "There is no such capability. `GET /v1/capabilities` lists the available ones.",
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

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problemTypes, code);
}
