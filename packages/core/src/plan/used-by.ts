import { type Caller, reachesCapability } from "../caller.ts";
import type { Json } from "../json.ts";
import { planDocument, stepsOf } from "./plan-document.ts";
import { planCapability } from "./undo-plan.ts";
import { withValues } from "./values.ts";

/**
 * The capabilities that a call would use: its own, or of a plan those of its steps. Undefined: a plan within the plan takes
 * values from a step, its own steps perhaps.
 */
export function usedBy(capability: string, input: Json | undefined): readonly string[] | undefined {
  const plan = capability === planCapability ? planDocument.safeParse(input) : undefined;
  // What is no plan is refused as such.
  if (!plan?.success) return [capability];
  const used: string[] = [];
  for (const step of stepsOf(plan.data)) {
    const filled = withValues(step.input, () => undefined);
    if (step.capability === planCapability && "missing" in filled) return undefined;
    const inner = usedBy(step.capability, "input" in filled ? filled.input : undefined);
    if (!inner) return undefined;
    used.push(...inner);
  }
  return used;
}

/** [TRUST 21] Whether the proof reaches everything that the call would use. What cannot be told now may turn out to be anything. */
export function reachesInput(caller: Caller, capability: string, input: Json | undefined): boolean {
  if (caller.scopes === undefined) return true;
  return usedBy(capability, input)?.every((name) => reachesCapability(caller, name)) ?? false;
}
