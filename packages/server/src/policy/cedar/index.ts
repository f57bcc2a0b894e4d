import type { Policy, PolicySet } from "@paraph/core";

export {
  assemblePolicyDocument,
  type PolicyDocument,
  type PolicyOptions,
  type Preset,
  presets,
} from "./document.ts";
export { lintPolicies, type PolicyFinding } from "./lint.ts";
export { loadPolicies } from "./load.ts";
export { type LoadFault, PolicyLoadError } from "./load-fault.ts";
export { outlinePolicies } from "./outline.ts";
export { findTextFaults } from "./policy-text.ts";
export type { Rule } from "./rule.ts";
export { findRuleFaults } from "./rule-shape.ts";
export { compileRules } from "./rules.ts";
export {
  isRuleOnUnknownAdapter,
  isUnknownCapability,
  removeUnknownAdapters,
  type UnknownAdapters,
} from "./set-aside.ts";

/** One set in force for every tenant, exchanged whole: a ruling sees the old set or the new one, never a mixture. */
export function createCedarPolicy(initial: PolicySet): Policy & { replace(set: PolicySet): void } {
  let inForce = initial;
  return {
    current: () => inForce,
    refresh: async () => {},
    replace: (set) => {
      inForce = set;
    },
  };
}
