import { expect, it } from "vitest";
import type { ChildEnd } from "../capability/composite.ts";
import { buildStepOrder, buildUndoPlan } from "./undo-plan.ts";

const createDone = (step: string, closedAt: number): ChildEnd => ({
  step,
  outcome: { kind: "succeeded", code: "done" },
  closedAt,
  undo: { capability: "files.delete", input: {} },
});
const listUndone = (ends: readonly ChildEnd[], after: Record<string, readonly string[]>) => {
  const order = buildStepOrder(Object.entries(after).map(([id, earlier]) => ({ id, after: earlier })));
  return buildUndoPlan(ends, new Set(), order)?.steps.map(({ id }) => id.replace(/^undo-\d+-/, ""));
};

it("[P13] Paraph undoes the last completed step first", () => {
  expect(
    listUndone([createDone("a", 1), createDone("b", 3), createDone("c", 2)], { a: [], b: [], c: [] }),
  ).toEqual(["b", "c", "a"]);
  expect(listUndone([createDone("a", 1), createDone("b", 1)], { a: [], b: ["a"] })).toEqual(["b", "a"]);
});

it("[P13] a clock that goes backwards does not reverse the undo order of dependent steps", () => {
  const ends = [createDone("a", 9), createDone("b", 8), createDone("c", 2), createDone("d", 7)];
  expect(listUndone(ends, { a: [], b: ["a"], c: ["b"], d: [] })).toEqual(["d", "c", "b", "a"]);
});
