import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { outcomeKinds } from "../outcome.ts";
import type { BlockCode } from "../policy/ruling.ts";
import {
  type ClosingOutcome,
  explainOutcome,
  type OutcomeCode,
  type OutcomeCodeType,
  outcomeCodes,
  toFaultCode,
} from "./outcome-codes.ts";

const entries = Object.entries(outcomeCodes) as [OutcomeCode, OutcomeCodeType][];
const root = new URL("../", import.meta.url);
const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (file) =>
    file.endsWith(".ts") &&
    !file.endsWith(".test.ts") &&
    !file.startsWith("testing/") &&
    !file.startsWith("outcome-codes/"),
);
const text = sources.map((file) => readFileSync(new URL(file, root), "utf8")).join("\n");

it("core cannot close a call with a code that is not in the table of outcome codes", () => {
  // @ts-expect-error The compiler rejects a code that is not in the table.
  const undocumented: ClosingOutcome = { kind: "refused", code: "made-up" };
  const blocked: OutcomeCode = "forbidden" satisfies BlockCode;
  const known: ClosingOutcome = { kind: "refused", code: blocked };
  const foreign: ClosingOutcome = { kind: "failed", code: toFaultCode({ code: "card-declined" }) };
  expect([undocumented, known, foreign].map(({ code }) => Object.hasOwn(outcomeCodes, code))).toEqual([
    false,
    true,
    false,
  ]);
});

it("no source of core casts a text to a code, so that the compiler compares every code with the table", () => {
  expect(text.match(/\bas (?:FaultCode|OutcomeCode|ClosingOutcome)\b/g)).toBeNull();
  expect(text.match(/\btoFaultCode\((?!error instanceof StepFailed|fault\))/g)).toBeNull();
});

it("every code of the table is one that core still raises", () => {
  const stale = entries.map(([code]) => code).filter((code) => !text.includes(`"${code}"`));
  expect(stale).toEqual([]);
});

it("every code has its outcomes, a meaning and a remedy, each in whole sentences", () => {
  for (const [code, { outcomes, meaning, remedy }] of entries) {
    expect([code, code]).toEqual([code, expect.stringMatching(/^[a-z]+(-[a-z]+)*$/)]);
    expect([code, new Set(outcomes).size]).toEqual([code, outcomes.length]);
    for (const kind of outcomes) expect(outcomeKinds).toContain(kind);
    for (const sentence of [meaning, remedy])
      expect([code, sentence]).toEqual([code, expect.stringMatching(/^[A-Z`].*\.$/)]);
  }
});

it("explains Paraph's own codes only, and only with the outcomes that have them", () => {
  expect(explainOutcome({ kind: "unknown", code: "probe-unsure" })).toContain("can't tell whether it did");
  expect(explainOutcome({ kind: "succeeded", code: "probe-unsure" })).toBeUndefined();
  expect(explainOutcome({ kind: "failed", code: "card-declined" })).toBeUndefined();
  expect(explainOutcome({ kind: "failed", code: "constructor" })).toBeUndefined();
});
