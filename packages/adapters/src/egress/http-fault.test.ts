import type { CapabilityError } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { type RequestConditions, toNetworkFault, toStatusFault } from "./http-fault.ts";

const told = (status: number, over: Partial<RequestConditions> = {}, headers = {}) => {
  const answered = { status, headers, body: Buffer.alloc(0), cut: false };
  const fault = toStatusFault(answered, { method: "POST", attempt: 1, ...over }, "");
  return fault ? `${fault.kind} ${fault.code}` : "an answer";
};

describe("[P8] the fault for an HTTP status", () => {
  it.each<[number, string, Partial<RequestConditions>?]>([
    [200, "an answer"],
    [204, "an answer"],
    [303, "an answer"],
    [302, "ambiguous redirected"],
    [307, "permanent redirected"],
    [302, "permanent redirected", { method: "GET" }],
    [304, "an answer", { method: "GET" }],
    [400, "permanent http-400"],
    [401, "permanent http-401"],
    [404, "permanent http-404", { method: "DELETE" }],
    [404, "an answer", { method: "DELETE", attempt: 2 }],
    [408, "ambiguous http-408"],
    [409, "permanent http-409", { keyed: true }],
    [409, "ambiguous still-at-it", { keyed: true, attempt: 2 }],
    [412, "permanent http-412"],
    [412, "permanent basis-changed", { conditional: true }],
    [412, "ambiguous basis-changed", { conditional: true, attempt: 2 }],
    [418, "permanent http-418"],
    [429, "not-performed http-429"],
    [500, "ambiguous http-500"],
    [502, "ambiguous http-502"],
    [501, "permanent http-501"],
    [503, "ambiguous http-503"],
    [504, "ambiguous http-504"],
    // Cloudflare answers 520 to 524 if it sent the request and got no answer. Other proxies use such codes when they
    // stop waiting.
    [520, "ambiguous http-520"],
    [524, "ambiguous http-524"],
    [530, "ambiguous http-530"],
    [599, "ambiguous http-599"],
    [999, "ambiguous http-999"],
  ])("%i: %s %j", (status, message, over) => {
    expect(told(status, over)).toBe(message);
  });

  it("503 means not performed only with a Retry-After header", () => {
    expect(told(503, {}, { "retry-after": "5" })).toBe("not-performed http-503");
  });

  it("Paraph honours Retry-After in seconds or as a date, and ignores other values", () => {
    const after = (value: string) =>
      toStatusFault(
        { status: 429, headers: { "retry-after": value }, body: Buffer.alloc(0), cut: false },
        { method: "POST", attempt: 1 },
        "",
      )?.retryAfterMs;
    expect(after("7")).toBe(7_000);
    expect(after(new Date(Date.now() + 60_000).toUTCString())).toBeGreaterThan(50_000);
    expect(after("soon")).toBeUndefined();
  });
});

describe("[P8] the fault for a failed connection", () => {
  it.each([
    ["EHOSTUNREACH", "connect", "not-performed unreachable"],
    ["EHOSTUNREACH", "read", "ambiguous connection-lost"],
    ["ENETUNREACH", "write", "ambiguous connection-lost"],
    ["ECONNREFUSED", "connect", "not-performed unreachable"],
    ["ECONNRESET", "read", "ambiguous connection-lost"],
  ])("%s at `%s`: %s", (code, syscall, message) => {
    const fault = toNetworkFault(Object.assign(new Error(code), { code, syscall })) as CapabilityError;
    expect(`${fault.kind} ${fault.code}`).toBe(message);
  });
});
