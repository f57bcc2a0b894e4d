import { expect, it } from "vitest";
import { describeEvent } from "./describe-event.ts";

it("the timeline says in words how a call and its attempts ended, with the code", () => {
  const describe = (kind: string, data: Record<string, unknown>) =>
    describeEvent({ type: `dev.paraph.call.${kind}.v1`, data }).slice(0, 2);
  expect(describe("unknown", { outcome: "unknown", code: "probe-unsure" })).toEqual([
    "The outcome of the call is unknown",
    "An attempt may have acted, and the external system can't tell whether it did. (probe-unsure)",
  ]);
  expect(describe("superseded", { outcome: "superseded", code: "edited" })[0]).toBe(
    "Another call replaced this one",
  );
  expect(describe("attempted", { attempt: 1, as: "permanent", code: "card-declined", ms: 1_200 })).toEqual([
    "Attempt 1: failed",
    "1.2 s (card-declined)",
  ]);
  expect(describe("succeeded", { outcome: "succeeded", code: "done" })).toEqual([
    "The call succeeded",
    undefined,
  ]);
  expect(describe("round-closed", { round: 1, status: "void", code: "approval-insufficient" })).toEqual([
    "The votes no longer count",
    "Policy now demands other approvals. (approval-insufficient)",
  ]);
  expect(describe("round-closed", { round: 1, status: "void", code: "edited" })[1]).toBe(
    "A person edited the input, so a new call replaced this one. (edited)",
  );
  expect(describe("ruled", { ruling: "ask", policies: ["ask-all"] })).toEqual([
    "Policy asks people",
    "ask-all",
  ]);
});
