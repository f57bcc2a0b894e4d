import type { Contract, Guard, PolicySet, Principal } from "@paraph/core";
import type { ClosureTrust } from "../evaluation/closures/closure-trust.ts";
import { createEvaluator } from "../evaluation/evaluate.ts";
import type { Action } from "../evaluation/schema.ts";
import { createSlicer } from "../evaluation/slices.ts";
import { computePolicyVersion, type PolicyDocument } from "../policy-document.ts";
import { isShadow, isUnattended, readSentence } from "./annotations.ts";
import { PolicyLoadError } from "./load-fault.ts";
import type { ParsedPolicy } from "./policy-text.ts";
import { readPolicies } from "./read-policies.ts";

/** [P11] Parses, validates and freezes a policy set. Throws `PolicyLoadError` with every fault. */
export function loadPolicies(
  document: PolicyDocument,
  contracts: readonly Contract[],
  trust?: ClosureTrust,
): PolicySet {
  const { policies, guards, actions, faults } = readPolicies(document, contracts);
  if (faults.length > 0) throw new PolicyLoadError(faults);

  const version = computePolicyVersion(document, policies);
  const inForce = policies.filter((policy) => !isShadow(policy));
  if (inForce.length === policies.length) return createPolicySet(version, policies, guards, actions, trust);

  const withShadows = createPolicySet(version, policies, guards, actions, trust);
  const base = createPolicySet(version, inForce, guards, actions, trust);
  // Paraph fetches the environment once for the base set and the set with shadow policies. The base set's
  // `readsEnvironment` must therefore also cover the shadow policies.
  const readsEnvironment = withShadows.readsEnvironment;
  return Object.freeze({ ...base, readsEnvironment, withShadows });
}

function createPolicySet(
  version: string,
  policies: readonly ParsedPolicy[],
  guards: readonly Guard[],
  actions: readonly Action[],
  trust: ClosureTrust | undefined,
): PolicySet {
  const ids = new Set(policies.map(({ id }) => id));
  const byName = new Map(actions.map((action) => [action.contract.name, action]));
  const slicesFor = createSlicer(policies);
  const { evaluate, evaluateContract, couldAllow } = createEvaluator(actions, slicesFor, trust);
  const own = new Map(
    guards.filter(({ id }) => ids.has(id)).map((guard) => [guard.id, Object.freeze(guard)]),
  );
  const everyGuard = [...own.keys()];
  return Object.freeze({
    version,
    guards: own,
    sentences: new Map(
      policies.flatMap((policy) => {
        const sentence = readSentence(policy);
        return sentence === undefined ? [] : [[policy.id, sentence] as const];
      }),
    ),
    unattended: new Set(policies.filter(isUnattended).map(({ id }) => id)),
    readsEnvironment: ({ name }: Contract) => {
      const action = byName.get(name);
      return action !== undefined && slicesFor(action).some(({ use }) => use.parts.has("env"));
    },
    evaluate,
    evaluateContract,
    couldAllow: (principal: Principal, contract: Contract) => couldAllow(principal, contract, everyGuard),
  });
}
