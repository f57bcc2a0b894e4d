import { expect, it } from "vitest";
import { type AttemptEnd, type Call, correlationId, isRetryable } from "./call.ts";
import { cloudEventType, type Event } from "./event.ts";
import type { OutcomeKind } from "./outcome.ts";

it.each<[string, OutcomeKind | undefined, AttemptEnd | undefined, boolean]>([
  ["an attempt that was not performed", "failed", "not-performed", true],
  ["an attempt with an unclear end", "failed", "ambiguous", true],
  ["an error that stays", "failed", "permanent", false],
  ["a success whose output does not fit", "failed", "succeeded", false],
  ["no attempt, as of a plan", "failed", undefined, false],
  ["an open call", undefined, "not-performed", false],
  ["a call with an unknown outcome", "unknown", "ambiguous", false],
])("the same request may succeed later after %s: %s, %s: %s", (_what, kind, ended, expected) => {
  const call = {
    ...(kind && { outcome: { kind, code: "error" } }),
    attempts: ended ? [{ number: 1, at: 0, deadline: 1, ended }] : [],
  } as unknown as Call;
  expect(isRetryable(call)).toBe(expected);
});

it("calls share the trace id of their traceparent as correlation id", () => {
  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  expect(correlationId({ trace })).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
  expect(correlationId({ trace: undefined })).toBeUndefined();
});

it("a webhook of a closed call names the outcome, and every other webhook names its event", () => {
  const event = (kind: string, data: object) => ({ kind, data, seq: 1, at: 0 }) as unknown as Event;
  expect(cloudEventType(event("closed", { outcome: "denied" }))).toBe("dev.paraph.call.denied.v1");
  expect(cloudEventType(event("asked", {}))).toBe("dev.paraph.call.asked.v1");
});
