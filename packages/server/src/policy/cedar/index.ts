import type { Policy, PolicySet } from "@paraph/core";

export { type PolicyDocument, type PolicyOptions, type Preset, policyDocument, presets } from "./document.ts";
export { type Finding, lint } from "./lint.ts";
export { loadPolicies } from "./load.ts";
export { type LoadFault, PolicyLoadError } from "./load-fault.ts";
export { outlineOf } from "./outline.ts";
export { faultsOfText } from "./policy-text.ts";
export type { Rule } from "./rule.ts";
export { faultsOfRules } from "./rule-shape.ts";
export { compileRules } from "./rules.ts";
export { isRuleOnStrangers, isStranger, type Strangers, withoutStrangers } from "./set-aside.ts";

/** One set in force for every tenant, exchanged whole: a ruling sees the old set or the new one, never a mixture. */
export function cedarPolicy(initial: PolicySet): Policy & { replace(set: PolicySet): void } {
  let inForce = initial;
  return {
    current: () => inForce,
    refresh: async () => {},
    replace: (set) => {
      inForce = set;
    },
  };
}
