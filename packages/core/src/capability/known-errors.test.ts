import { describe, expect, it } from "vitest";
import { toFault } from "./fault.ts";
import type { FaultKind } from "./fault-kind.ts";
import { type KnownError, knownErrors } from "./known-errors.ts";

const error = (fields: object, message = "text") => Object.assign(new Error(message), fields);
const caused = (cause: object, message: string) => Object.assign(new TypeError(message), { cause });

/** Returns an error that has only the trait of its row. */
function example(by: KnownError["by"], is: string | number): unknown {
  switch (by) {
    case "sqlstate":
      return error({ severity: "ERROR", code: String(is).padEnd(5, "0") });
    case "grpc":
      return error({ code: is, details: "text", metadata: {} });
    case "message":
      return new Error(String(is));
    default:
      return error({ [by]: is });
  }
}

describe("[P8] every row of the table of known errors", () => {
  it.each(knownErrors.flatMap(({ from, by, is, kind }) => is.map((each) => [kind, from, by, each] as const)))(
    "%s: %s, %s %s",
    (kind, _from, by, is) => {
      expect(toFault(example(by, is)).kind).toBe(kind);
    },
  );
});

/** Errors in the form in which the clients throw them. */
const shapes: [FaultKind, string, unknown][] = [
  [
    "ambiguous",
    "AbortSignal.timeout",
    AbortSignal.timeout(0).reason ?? new DOMException("x", "TimeoutError"),
  ],
  ["ambiguous", "AbortController.abort", new DOMException("This operation was aborted", "AbortError")],
  ["ambiguous", "fetch, reset", caused(error({ code: "ECONNRESET", syscall: "read" }), "fetch failed")],
  [
    "not-performed",
    "fetch, refused",
    caused(error({ code: "ECONNREFUSED", syscall: "connect" }), "fetch failed"),
  ],
  [
    "not-performed",
    "fetch, unknown host",
    caused(error({ code: "ENOTFOUND", syscall: "getaddrinfo" }), "fetch failed"),
  ],
  [
    "ambiguous",
    "fetch, body cut",
    caused(error({ name: "SocketError", code: "UND_ERR_SOCKET" }), "terminated"),
  ],
  ["ambiguous", "fetch, no reason", new TypeError("fetch failed")],
  ["not-performed", "Node.js, connect timed out", error({ code: "ETIMEDOUT", syscall: "connect" })],
  ["ambiguous", "Node.js, host lost while reading", error({ code: "EHOSTUNREACH", syscall: "read" })],
  ["ambiguous", "undici, headers", error({ name: "HeadersTimeoutError", code: "UND_ERR_HEADERS_TIMEOUT" })],
  [
    "not-performed",
    "undici, connect",
    error({ name: "ConnectTimeoutError", code: "UND_ERR_CONNECT_TIMEOUT" }),
  ],
  ["ambiguous", "axios, timeout", error({ name: "AxiosError", isAxiosError: true, code: "ECONNABORTED" })],
  [
    "ambiguous",
    "axios, 502",
    error({ name: "AxiosError", code: "ERR_BAD_RESPONSE", response: { status: 502 } }),
  ],
  [
    "not-performed",
    "axios, 429",
    error({ name: "AxiosError", code: "ERR_BAD_REQUEST", response: { status: 429 } }),
  ],
  [
    "permanent",
    "axios, 404",
    error({ name: "AxiosError", code: "ERR_BAD_REQUEST", response: { status: 404 } }),
  ],
  ["ambiguous", "axios, cancelled", error({ name: "CanceledError", code: "ERR_CANCELED" })],
  ["ambiguous", "got, timeout", error({ name: "TimeoutError", code: "ETIMEDOUT", event: "response" })],
  [
    "ambiguous",
    "got, 504",
    error({ name: "HTTPError", code: "ERR_NON_2XX_3XX_RESPONSE", response: { statusCode: 504 } }),
  ],
  [
    "permanent",
    "got, 403",
    error({ name: "HTTPError", code: "ERR_NON_2XX_3XX_RESPONSE", response: { statusCode: 403 } }),
  ],
  ["ambiguous", "statusCode 500", error({ statusCode: 500 })],
  ["ambiguous", "statusCode 503", error({ statusCode: 503 })],
  ["permanent", "pg, constraint", error({ name: "error", severity: "ERROR", code: "23505" })],
  ["not-performed", "pg, deadlock", error({ severity: "ERROR", code: "40P01" })],
  ["ambiguous", "pg, shut down", error({ severity: "FATAL", code: "57P01" })],
  ["ambiguous", "pg, resolution unknown", error({ severity: "ERROR", code: "08007" })],
  ["ambiguous", "pg, cancelled", error({ severity: "ERROR", code: "57014" })],
  ["ambiguous", "AWS, timeout", error({ name: "TimeoutError", $metadata: { attempts: 1 } })],
  [
    "not-performed",
    "AWS, throttled",
    error({ name: "ThrottlingException", $metadata: { httpStatusCode: 400 } }),
  ],
  ["ambiguous", "AWS, 500", error({ name: "InternalFailure", $metadata: { httpStatusCode: 500 } })],
  ["permanent", "AWS, denied", error({ name: "AccessDeniedException", $metadata: { httpStatusCode: 403 } })],
  ["ambiguous", "AWS, no answer", error({ name: "Other", $metadata: { attempts: 3 } })],
  ["ambiguous", "gRPC, deadline", error({ code: 4, details: "Deadline exceeded", metadata: {} })],
  ["ambiguous", "gRPC, unavailable", error({ code: 14, details: "Connection dropped", metadata: {} })],
  ["ambiguous", "gRPC, answer too large", error({ code: 8, details: "Received message", metadata: {} })],
  ["not-performed", "Node.js, no route", error({ code: "EHOSTUNREACH", syscall: "connect" })],
  ["ambiguous", "undici, body of a response", error({ code: "UND_ERR_NOT_SUPPORTED" })],
  ["permanent", "gRPC, denied", error({ code: 7, details: "No", metadata: {} })],
];

describe("[P8] errors in the form that clients throw", () => {
  it.each(shapes)("%s: %s", (kind, _name, thrown) => {
    expect(toFault(thrown).kind).toBe(kind);
  });

  it("a circular chain of causes is read only up to a limit", () => {
    const round: { cause?: unknown; message: string } = { message: "round" };
    round.cause = round;
    expect(toFault(round).kind).toBe("permanent");
  });
});
