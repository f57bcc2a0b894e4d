import type { Undo } from "../capability/capability.ts";
import type { ChildEnd, PlannedStep, Visibility } from "../capability/composite.ts";
import type { PlanRequest } from "./plan-document.ts";

/** The name of the capability that performs a plan. */
export const planCapability = "plan.apply";

/** The id of the step that undoes the completed steps of a plan. A caller's step cannot have this id. */
export const compensationStep = "$compensation";

/**
 * [P13] Returns the plan that undoes completed steps, in reverse order of completion. If a step's details are hidden,
 * so are those of its undo.
 */
export function buildUndoPlan(
  ends: Iterable<ChildEnd>,
  hidden: ReadonlySet<string>,
  order: StepOrder,
): PlanRequest | undefined {
  const done = [...ends].filter(
    ({ outcome, step }) => outcome.kind === "succeeded" && step !== compensationStep,
  );
  const back = sortBackwards(done, order).flatMap(({ step, undo }) => (undo ? [{ step, undo }] : []));
  if (back.length === 0) return undefined;
  return {
    version: 1,
    onFailure: "continue",
    steps: back.map(({ step, undo: { capability, input } }, index) => ({
      id: toUndoStepId(index + 1, step),
      capability,
      input: { $literal: input },
      ...(hidden.has(step) && { visibility: "approvers" as const }),
    })),
  };
}

function toUndoStepId(number: number, step: string): string {
  return `undo-${number}-${step}`.slice(0, 64);
}

/** Returns whether `id` names the step of an undo plan that undoes the given step of the original plan. */
export function isUndoStep(id: string, step: string): boolean {
  const number = Number(/^undo-(\d+)-/.exec(id)?.[1] ?? Number.NaN);
  return id === toUndoStepId(number, step);
}

/** The steps that come before each step. */
export type StepOrder = ReadonlyMap<string, readonly string[]>;

/** Returns, for each of these steps, the steps that come before it. */
export function buildStepOrder(steps: Iterable<Pick<PlannedStep, "id" | "after">>): StepOrder {
  return new Map([...steps].map(({ id, after }) => [id, after]));
}

/**
 * Sorts the steps by end time, latest first. A step always comes before the steps on which it depends, even if a clock
 * was set back in between.
 */
function sortBackwards(done: readonly ChildEnd[], order: StepOrder): readonly ChildEnd[] {
  const left = done
    .map((end, index) => ({ ...end, index }))
    .sort((a, b) => b.closedAt - a.closedAt || b.index - a.index);
  const back: ChildEnd[] = [];
  while (left.length > 0) {
    const needed = new Set(left.flatMap(({ step }) => order.get(step) ?? []));
    const next = left.findIndex(({ step }) => !needed.has(step));
    back.push(...left.splice(Math.max(0, next), 1));
  }
  return back;
}

/** Returns the steps whose details only approvers see. */
export function listHiddenSteps(
  steps: Iterable<{ readonly id: string; readonly visibility: Visibility }>,
): ReadonlySet<string> {
  return new Set([...steps].filter(({ visibility }) => visibility === "approvers").map(({ id }) => id));
}

/** Returns the undo of a closed composite, or undefined if compensation has already undone its steps. */
export function buildUndo(
  ends: readonly ChildEnd[],
  hidden: ReadonlySet<string>,
  order: StepOrder,
): Undo | undefined {
  const undone = ends.some(({ step, outcome }) => step === compensationStep && outcome.kind === "succeeded");
  const plan = undone ? undefined : buildUndoPlan(ends, hidden, order);
  return plan && { capability: planCapability, input: JSON.parse(JSON.stringify(plan)) };
}
