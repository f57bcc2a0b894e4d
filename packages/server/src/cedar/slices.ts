import { type CheckParseAnswer, preparsePolicySet, preparseSchema } from "@cedar-policy/cedar-wasm/nodejs";
import { digest } from "@paraph/core";
import { type ContextUse, contextUseOf, together } from "./context-use.ts";
import type { SinglePolicy } from "./policy-text.ts";
import { type Action, schemaOf } from "./schema.ts";
import { canApply } from "./scope.ts";

/** Where Cedar keeps what it needs to answer for one action: names in its per-thread cache. */
export interface SliceNames {
  readonly preparsedPolicySetId: string;
  readonly preparsedSchemaName: string;
}

export interface Slice {
  readonly names: SliceNames;
  /** What the slice's policies, all taken together, look at. */
  readonly use: ContextUse;
}

/**
 * Cedar's time grows with every policy it is handed and every action of its schema. So each action gets its own
 * slice of both, cut when it is first asked about: cost follows the policies that can apply to it, no others.
 * The names hold the set's version, so that two sets stand side by side in the one cache.
 */
export function slicesOf(
  version: string,
  policies: readonly SinglePolicy[],
  applies = canApply,
): (action: Action) => Slice {
  const cut = new Map<Action, Slice>();
  const uses = new Map(policies.map((policy) => [policy, contextUseOf(policy)]));
  return (action) => {
    const known = cut.get(action);
    if (known) return known;
    const applying = policies.filter((policy) => applies(policy, action));
    const use = together(applying.map((policy) => uses.get(policy)!));
    const slice = { names: prepare(version, applying, action), use };
    cut.set(action, slice);
    return slice;
  };
}

function prepare(version: string, policies: readonly SinglePolicy[], action: Action): SliceNames {
  // Actions that the same policies apply to share them: a thousand reads need one copy.
  const preparsedPolicySetId = `${version}/${digest(policies.map((policy) => policy.id))}`;
  const preparsedSchemaName = `${version}/${action.contract.name}`;
  const staticPolicies = Object.fromEntries(policies.map((policy) => [policy.id, policy.text]));
  demand(preparsePolicySet(preparsedPolicySetId, { staticPolicies }));
  demand(preparseSchema(preparsedSchemaName, schemaOf([action])));
  return { preparsedPolicySetId, preparsedSchemaName };
}

/** Both were read once at load, so a failure here is a bug; the throw becomes a block like any other. */
function demand(answer: CheckParseAnswer): void {
  if (answer.type === "failure") throw new Error("Cedar did not take a slice of a validated set.");
}
