import { describe, expect, it } from "vitest";
import { ParaphError } from "../paraph-error.ts";
import { canonical } from "../receipts/digest.ts";
import { CapabilityError, toAttemptFault, toFault } from "./fault.ts";
import type { FaultKind } from "./fault-kind.ts";

const withStatus = (status: number) => Object.assign(new Error("text"), { status });
const withCode = (code: string) => Object.assign(new Error("text"), { code });
const fetchFailed = (code: string) => Object.assign(new TypeError("fetch failed"), { cause: { code } });

const refusals = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"];
const breaks = [
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_SOCKET",
  "UND_ERR_HEADERS_TIMEOUT",
  "ABORT_ERR",
];

const table: [FaultKind, unknown[]][] = [
  ["not-performed", [...[425, 429].map(withStatus), ...refusals.map(withCode), fetchFailed("ECONNREFUSED")]],
  [
    "ambiguous",
    [
      ...[408, 500, 502, 503, 504, 520, 524, 599].map(withStatus),
      ...breaks.map(withCode),
      ...["ECONNRESET", "UND_ERR_BODY_TIMEOUT"].map(fetchFailed),
    ],
  ],
  [
    "permanent",
    [
      ...[400, 401, 403, 404, 409, 410, 422, 501].map(withStatus),
      ...["EACCES", "ENOENT", "ERR_TLS_CERT_ALTNAME_INVALID"].map(withCode),
      ...[new Error("plain"), new TypeError("bug"), "text", null, undefined, 42, {}, []],
      ...["constructor", "toString", "__proto__"].map(withCode),
    ],
  ],
];

describe("[P8] the fault kind of an error", () => {
  for (const [kind, errors] of table) {
    it.each(errors.map((error) => [describeError(error), error]))(`is ${kind} for %s`, (_name, error) => {
      expect(toFault(error).kind).toBe(kind);
    });
  }

  it("an unlisted 4xx status is permanent, and any other unlisted status is ambiguous", () => {
    expect([418, 451, 499].map((status) => toFault(withStatus(status)).kind)).toEqual(
      Array(3).fill("permanent"),
    );
    expect([302, 507, 520, 529].map((status) => toFault(withStatus(status)).kind)).toEqual(
      Array(4).fill("ambiguous"),
    );
  });

  it("an unlisted network code is ambiguous, and an unlisted code of the capability is permanent", () => {
    const wire = [
      "ERR_HTTP2_STREAM_ERROR",
      "UND_ERR_RES_EXCEEDED_MAX_SIZE",
      "HPE_INVALID_CONSTANT",
      "EPROTO",
    ];
    expect(wire.map((code) => toFault(withCode(code)).kind)).toEqual(wire.map(() => "ambiguous"));
    const own = ["INSUFFICIENT_FUNDS", "quota", "E"];
    expect(own.map((code) => toFault(withCode(code)).kind)).toEqual(own.map(() => "permanent"));
  });

  it("a capability can set the kind, the code and the retry delay itself", () => {
    expect(toFault(new CapabilityError("ambiguous", "half_done", "text", { retryAfterMs: 9 }))).toEqual({
      kind: "ambiguous",
      code: "half-done",
      message: "text",
      retryAfterMs: 9,
    });
  });

  it("an error of Paraph itself comes before the effect, and can never succeed", () => {
    expect(toFault(new ParaphError("input-invalid", "text"))).toMatchObject({
      kind: "permanent",
      code: "input-invalid",
    });
  });

  it("a local file that cannot be read or written is no broken connection", () => {
    const local = Object.assign(new Error("text"), { code: "EISDIR", syscall: "read" });
    expect(toFault(local).kind).toBe("permanent");
    expect(toFault(Object.assign(local, { code: "ECONNRESET" })).kind).toBe("ambiguous");
  });

  it("an unknown error of an attempt may have come after the effect, unless the capability only reads", () => {
    const unknown = new Error("plain");
    const read = { effect: "read", idempotency: "natural" } as const;
    const write = { effect: "write", idempotency: "natural" } as const;
    expect(toAttemptFault(unknown, read)).toMatchObject({ kind: "permanent", code: "error" });
    expect(toAttemptFault(unknown, write)).toMatchObject({
      kind: "ambiguous",
      code: "no-verdict",
    });
    const named = Object.assign(new Error("text"), { code: "QUOTA" });
    expect(toAttemptFault(named, write)).toMatchObject({ kind: "ambiguous", code: "quota" });
    expect(toAttemptFault(withStatus(404), write).kind).toBe("permanent");
  });

  it.each([
    ["none", "ambiguous"],
    ["probe", "ambiguous"],
    ["keyed", "not-performed"],
    ["natural", "not-performed"],
  ] as const)(
    "[P7] a refused connection after another request of the attempt repeats nothing by guess (idempotency: %s)",
    (idempotency, kind) => {
      const refused = fetchFailed("ECONNREFUSED");
      expect(toAttemptFault(refused, { effect: "write", idempotency })).toMatchObject({
        kind,
        code: "econnrefused",
      });
      expect(toAttemptFault(refused, { effect: "read", idempotency }).kind).toBe("not-performed");
      const declared = new CapabilityError("not-performed", "busy", "text");
      expect(toAttemptFault(declared, { effect: "write", idempotency }).kind).toBe("not-performed");
    },
  );

  it("a listed status takes precedence over a code", () => {
    expect(toFault(Object.assign(new Error(""), { status: 429, code: "ECONNRESET" }))).toMatchObject({
      kind: "not-performed",
      code: "http-429",
    });
  });

  it("[P9] a hostile, malformed or huge error becomes a permanent fault that can be stored and signed", () => {
    const hostile = new Proxy(new Error("x"), {
      get() {
        throw new Error("do not look at me");
      },
    });
    const odd = new CapabilityError("maybe" as FaultKind, "odd", "text", { retryAfterMs: Number.NaN });
    for (const error of [hostile, odd, new Error("half a \ud83d pair"), new Error("x".repeat(1_000_000))]) {
      const fault = toFault(error);
      expect(fault).toMatchObject({ kind: "permanent" });
      expect(canonical({ ...fault }).length).toBeLessThan(20_000);
    }
  });

  it("[P10] a code that is not a short identifier is replaced by `error`", () => {
    for (const code of ["IBAN DE89 3704", "a".repeat(60), "ünïcode", "", "x\ny", "9lives"])
      expect(toFault(new CapabilityError("permanent", code, "text")).code).toBe("error");
    expect(toFault(withCode("secret value 1234")).code).toBe("error");
  });
});

function describeError(error: unknown): string {
  const { status, code, cause } = (error ?? {}) as {
    status?: number;
    code?: string;
    cause?: { code: string };
  };
  return String(status ?? code ?? cause?.code ?? JSON.stringify(error) ?? "undefined");
}
