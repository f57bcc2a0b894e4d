import { createContext, useContext, useState } from "react";
import type { Round } from "../api/types.ts";
import { listSkipped, type PlanStep, readSteps } from "./plan-step.ts";

/** The steps of a plan that an approver leaves out. */
export interface PlanChoice {
  readonly steps: readonly PlanStep[];
  /** The steps that this approver leaves out, in order. */
  readonly leftOut: readonly PlanStep[];
  /** The steps that another approver has left out. They stay out. */
  readonly leftOutByOthers: ReadonlySet<string>;
  /** The steps that need a value of a step that is left out. */
  readonly skipped: readonly PlanStep[];
  readonly toggle: (step: string) => void;
}

/** The choice of the steps around it. It is missing where nothing can be left out. */
export const PlanChoiceContext = createContext<PlanChoice | undefined>(undefined);

export function usePlanChoice(): PlanChoice | undefined {
  return useContext(PlanChoiceContext);
}

/** Keeps which steps an approver leaves out. Returns undefined if the request is no plan, or can't be approved in part. */
export function useNewPlanChoice(round: Round): PlanChoice | undefined {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const steps = readSteps(round);
  const canChoose = round.status === "open" && (round.voter === "approver" || round.voter === "confirmation");
  if (!steps || !canChoose) return undefined;
  const leftOutByOthers = new Set(round.declined);
  const leftOut = steps.filter(({ id }) => chosen.has(id) && !leftOutByOthers.has(id));
  return {
    ...{ steps, leftOut, leftOutByOthers },
    skipped: listSkipped(steps, new Set([...chosen, ...leftOutByOthers])),
    toggle: (step) =>
      setChosen((old) =>
        old.has(step) ? new Set([...old].filter((id) => id !== step)) : new Set([...old, step]),
      ),
  };
}

/** Returns how many steps an approval covers. */
export function countApproved({ steps, leftOut, leftOutByOthers, skipped }: PlanChoice): number {
  return steps.length - leftOut.length - leftOutByOthers.size - skipped.length;
}

/** Names the steps that are left out, and those that need them: `2 steps left out: 15, and 16, which needs it.` */
export function formatLeftOut({ leftOut, skipped }: PlanChoice): string {
  if (leftOut.length === 0) return "";
  const numbers = (steps: readonly PlanStep[]) => steps.map(({ number }) => number).join(", ");
  const count = leftOut.length + skipped.length;
  const needs =
    skipped.length === 0
      ? ""
      : `, and ${numbers(skipped)}, which ${skipped.length === 1 ? "needs" : "need"} ${leftOut.length === 1 ? "it" : "them"}`;
  return `${count} ${count === 1 ? "step" : "steps"} left out: ${numbers(leftOut)}${needs}.`;
}

/** Returns why a step will not run, or undefined if the approval covers it. */
export function explainLeftOut(
  { steps, leftOut, leftOutByOthers, skipped }: PlanChoice,
  id: string,
): string | undefined {
  if (leftOutByOthers.has(id)) return "left out by another approver";
  if (leftOut.some((step) => step.id === id)) return "left out";
  const needs = skipped.find((step) => step.id === id)?.needs;
  if (!needs) return undefined;
  const out = new Set([...leftOut, ...skipped].map((step) => step.id).concat(...leftOutByOthers));
  const missing = steps.filter((step) => needs.includes(step.id) && out.has(step.id));
  return `skipped: needs step ${missing.map(({ number }) => number).join(", ")}`;
}
