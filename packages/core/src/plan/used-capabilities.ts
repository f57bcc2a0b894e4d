import { type Caller, hasCapabilityScope } from "../caller.ts";
import type { Json } from "../json.ts";
import { planDocument, toPlannedSteps } from "./plan-document.ts";
import { planCapability } from "./undo-plan.ts";
import { fillValues } from "./value-references.ts";

/**
 * Returns the capabilities that a call would use: its own or, for a plan, those of its steps. Returns undefined if a
 * nested plan takes values from a step, because those values may contain the nested plan's steps.
 */
export function listUsedCapabilities(
  capability: string,
  input: Json | undefined,
): readonly string[] | undefined {
  const plan = capability === planCapability ? planDocument.safeParse(input) : undefined;
  // A call that is not a plan uses only its own capability. A plan with invalid input is not examined here, because
  // other code rejects it.
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

/**
 * [TRUST 21] Returns whether the credential covers every capability that the call would use. A capability that is not
 * known yet counts as not covered.
 */
export function hasInputScope(caller: Caller, capability: string, input: Json | undefined): boolean {
  if (caller.scopes === undefined) return true;
  return listUsedCapabilities(capability, input)?.every((name) => hasCapabilityScope(caller, name)) ?? false;
}
