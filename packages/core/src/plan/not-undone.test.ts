import { expect, it } from "vitest";
import type { Child } from "../call.ts";
import { findNotUndone } from "./not-undone.ts";
import { compensationStep, planCapability } from "./undo-plan.ts";

type Step = Pick<Child, "step" | "capability"> & Partial<Child>;

const contracts: Readonly<Record<string, { effect: "read" | "write"; composite?: true }>> = {
  "files.write": { effect: "write" },
  "files.read": { effect: "read" },
  [planCapability]: { effect: "write", composite: true },
};
const undo = { capability: "files.write", input: {} };
const done = { outcome: { kind: "succeeded", code: "done" }, undo } as const;
const doneForGood = { outcome: { kind: "succeeded", code: "done" } } as const;
const failed = { outcome: { kind: "failed", code: "step-failed" } } as const;
const unknown = { outcome: { kind: "unknown", code: "lost" } } as const;
const write = (step: string, more: Partial<Child> = done): Step => ({
  step,
  capability: "files.write",
  ...more,
});
const read = (step: string): Step => ({ step, capability: "files.read", ...doneForGood });
const plan = (step: string, more: Partial<Child> = done): Step => ({
  step,
  capability: planCapability,
  ...more,
});

/** Returns the effects that an undo plan with these steps leaves, as `step: reason`. */
async function leftBy(undone: readonly string[], tree: Readonly<Record<string, readonly Step[]>>) {
  const steps = undone.map((step, index) => ({ id: `undo-${index + 1}-${step}` }));
  const left = await findNotUndone(
    "root",
    { steps },
    {
      steps: async (call) =>
        (tree[call.replace("call_", "")] ?? []).map((one) => ({
          call: `call_${one.step}`,
          ...one,
        })) as Child[],
      contractOf: (capability) => contracts[capability],
    },
  );
  return left.map(({ step, reason }) => `${step}: ${reason}`);
}

it.each<[string, readonly string[], Readonly<Record<string, readonly Step[]>>, readonly string[]]>([
  [
    "nothing, if it undoes every step that offers an undo",
    ["b", "a"],
    { root: [write("a"), write("b"), read("c")] },
    [],
  ],
  ["a step without an undo", ["a"], { root: [write("a"), write("b", doneForGood)] }, ["b: no-undo"]],
  ["a step that an editor removed from the undo", ["a"], { root: [write("a"), write("b")] }, ["b: left-out"]],
  ["a step with an unknown outcome", [], { root: [write("a", unknown)] }, ["a: unknown"]],
  ["no read, whatever its outcome", [], { root: [read("a"), { ...read("b"), ...unknown }] }, []],
  ["no step that failed or has not ended", [], { root: [write("a", failed), write("b", {})] }, []],
  [
    "a step of a capability that is not known any more",
    [],
    { root: [{ step: "a", capability: "old.write", ...doneForGood }] },
    ["a: no-undo"],
  ],
  [
    "what a nested plan without an undo did",
    [],
    { root: [plan("p", doneForGood)], p: [write("a"), read("b")] },
    ["p/a: no-undo"],
  ],
  [
    "what a nested plan that an editor removed did",
    [],
    { root: [plan("p")], p: [write("a"), write("b", unknown)] },
    ["p/a: left-out", "p/b: unknown"],
  ],
  [
    "what the undo of a nested plan cannot reach",
    ["p"],
    { root: [plan("p")], p: [write("a"), write("b", doneForGood)] },
    ["p/b: no-undo"],
  ],
  [
    "what a nested plan did before it failed",
    [],
    { root: [plan("p", failed)], p: [write("a"), write("b", failed)] },
    ["p/a: plan-not-succeeded"],
  ],
  [
    "only what a failed plan could not compensate",
    [],
    {
      root: [plan("p", failed)],
      p: [write("a"), write("b", doneForGood), write("c", failed), plan(compensationStep)],
    },
    ["p/b: no-undo"],
  ],
  [
    "everything, if the compensation failed too",
    [],
    { root: [plan("p", failed)], p: [write("a"), plan(compensationStep, failed)] },
    ["p/a: plan-not-succeeded"],
  ],
])("an undo leaves %s", async (_what, undone, tree, left) => {
  expect(await leftBy(undone, tree)).toEqual(left);
});

it("one truncated id of an undo step counts for only one step", async () => {
  const long = "a".repeat(64);
  const steps = [`${long.slice(1)}b`, `${long.slice(1)}c`];
  expect(await leftBy([], { root: steps.map((step) => write(step)) })).toHaveLength(2);
  const id = `undo-1-${steps[0]}`.slice(0, 64);
  const left = await findNotUndone(
    "root",
    { steps: [{ id }] },
    {
      steps: async () => steps.map((step) => ({ call: `call_${step}`, ...write(step) })) as Child[],
      contractOf: (capability) => contracts[capability],
    },
  );
  expect(left.map(({ reason }) => reason)).toEqual(["left-out"]);
});

it("a call without an undo leaves every effect", async () => {
  const calls = {
    steps: async () => [{ call: "call_a", ...write("a") } as Child],
    contractOf: (capability: string) => contracts[capability],
  };
  expect(await findNotUndone("root", null, calls)).toMatchObject([{ step: "a", reason: "left-out" }]);
});
