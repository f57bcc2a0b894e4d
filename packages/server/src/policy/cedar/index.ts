import type { Policy, PolicySet } from "@paraph/core";

export { lintPolicies, type PeopleCount, type PolicyFinding } from "./analysis/lint.ts";
export { outlinePolicies } from "./analysis/outline.ts";
export { type ClosureTrust, processTrust } from "./evaluation/closures/closure-trust.ts";
export { loadPolicies } from "./loading/load.ts";
export { type LoadFault, PolicyLoadError } from "./loading/load-fault.ts";
export { findTextFaults } from "./loading/policy-text.ts";
export {
  isRuleOnUnknownAdapter,
  isUnknownCapability,
  removeUnknownAdapters,
  type UnknownAdapters,
} from "./loading/unknown-adapters.ts";
export {
  assemblePolicyDocument,
  listSources,
  type PolicyDocument,
  type PolicyOptions,
  type Preset,
  presets,
} from "./policy-document.ts";
export { compileRules } from "./rules/compile-rules.ts";
export { findIneffectiveAllowances } from "./rules/ineffective-allowance.ts";
export type { Rule } from "./rules/rule.ts";
export { findRuleFaults } from "./rules/rule-schema.ts";

/**
 * Creates a policy with one set for every tenant. The set is replaced as a whole, so that a ruling sees either the old
 * set or the new one.
 */
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
