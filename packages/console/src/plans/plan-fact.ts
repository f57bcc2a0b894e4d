import type { Change, Round } from "../api/types.ts";
import { type PlanStep, readSteps } from "./plan-step.ts";

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

/** Returns what a request does. For a plan, it counts the changes, deletions first: `Delete 2 items, change 2 and create 8`. */
export function formatFact(round: Pick<Round, "headline" | "preview" | "input">): string {
  const steps = readSteps(round);
  return steps === undefined || steps.length === 1 ? round.headline : formatPlanFact(steps, round.headline);
}

export function formatPlanFact(steps: readonly PlanStep[], headline: string): string {
  const counts = countChanges(steps);
  const more = steps.filter(({ preview, isRead }) => preview !== "shown" && !isRead).length;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total < 2) return headline;
  const parts = changeVerbs.flatMap(([kind, verb]) => {
    const count = counts.get(kind);
    return count === undefined ? [] : [{ kind, text: `${verb} ${count}`, count }];
  });
  const words = parts.map(({ kind, text, count }, index) => {
    const noun = nouns[kind] ?? (index === 0 ? "item" : undefined);
    return noun === undefined ? text : `${text} ${noun}${count === 1 ? "" : "s"}`;
  });
  if (more > 0) words.push(`${more} more ${more === 1 ? "step" : "steps"}`);
  const text = words.length === 1 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The nouns of changes that send or run. All other changes are items. */
const nouns: Partial<Record<Change["kind"], string>> = { send: "message", run: "command" };
