import { expect, it } from "vitest";
import type { ChildEnd } from "../capability/composite.ts";
import { buildStepOrder, undoPlan } from "./undo-plan.ts";

const done = (step: string, closedAt: number): ChildEnd => ({
  step,
  outcome: { kind: "succeeded", code: "done" },
  closedAt,
  undo: { capability: "files.delete", input: {} },
});
const undone = (ends: readonly ChildEnd[], after: Record<string, readonly string[]>) => {
  const order = buildStepOrder(Object.entries(after).map(([id, earlier]) => ({ id, after: earlier })));
  return undoPlan(ends, new Set(), order)?.steps.map(({ id }) => id.replace(/^undo-\d+-/, ""));
};

it("[P13] what was done last is undone first", () => {
  expect(undone([done("a", 1), done("b", 3), done("c", 2)], { a: [], b: [], c: [] })).toEqual([
    "b",
    "c",
    "a",
  ]);
  expect(undone([done("a", 1), done("b", 1)], { a: [], b: ["a"] })).toEqual(["b", "a"]);
});

it("[P13] a clock that was put back in between turns no order round", () => {
  const ends = [done("a", 9), done("b", 8), done("c", 2), done("d", 7)];
  expect(undone(ends, { a: [], b: ["a"], c: ["b"], d: [] })).toEqual(["d", "c", "b", "a"]);
});
