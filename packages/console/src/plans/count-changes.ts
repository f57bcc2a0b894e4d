import type { Change } from "../api/types.ts";
import type { PlanStep } from "./plan-step.ts";

/** The kinds of changes, the gravest first, each with its verb. */
export const changeVerbs: readonly (readonly [Change["kind"], string])[] = [
  ["delete", "delete"],
  ["send", "send"],
  ["run", "run"],
  ["update", "change"],
  ["move", "move"],
  ["create", "create"],
  ["other", "affect"],
];

export function countChanges(steps: readonly PlanStep[]): ReadonlyMap<Change["kind"], number> {
  const counts = new Map<Change["kind"], number>();
  for (const { kind } of steps.flatMap(({ changes }) => changes))
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
