import { type Caller, hasCapabilityScope } from "../caller.ts";
import type { Json } from "../json.ts";
import { planDocument, toPlannedSteps } from "./plan-document.ts";
import { planCapability } from "./undo-plan.ts";
import { fillValues } from "./value-references.ts";

/**
 * The capabilities that a call would use: its own, or of a plan those of its steps. Undefined: a plan within the plan takes
 * values from a step, its own steps perhaps.
 */
export function listUsedCapabilities(
  capability: string,
  input: Json | undefined,
): readonly string[] | undefined {
  const plan = capability === planCapability ? planDocument.safeParse(input) : undefined;
  // What is no plan is refused as such.
  if (!plan?.success) return [capability];
  const used: string[] = [];
  for (const step of toPlannedSteps(plan.data)) {
    const filled = fillValues(step.input, () => undefined);
    if (step.capability === planCapability && "missing" in filled) return undefined;
    const inner = listUsedCapabilities(step.capability, "input" in filled ? filled.input : undefined);
    if (!inner) return undefined;
    used.push(...inner);
  }
  return used;
}

/** [TRUST 21] Whether the proof reaches everything that the call would use. What cannot be told now may turn out to be anything. */
export function hasInputScope(caller: Caller, capability: string, input: Json | undefined): boolean {
  if (caller.scopes === undefined) return true;
  return listUsedCapabilities(capability, input)?.every((name) => hasCapabilityScope(caller, name)) ?? false;
}
