import type { Policy, PolicySet } from "@paraph/core";

export { type LoadOptions, loadPolicies } from "./load.ts";
export { PolicyLoadError } from "./load-fault.ts";

/** The set in force, exchanged whole: a ruling sees the old set or the new one, never a mixture. */
export function cedarPolicy(initial: PolicySet): Policy & { replace(set: PolicySet): void } {
  let inForce = initial;
  return {
    current: () => inForce,
    replace: (set) => {
      inForce = set;
    },
  };
}
