import { type CheckParseAnswer, preparsePolicySet, preparseSchema } from "@cedar-policy/cedar-wasm/nodejs";
import { digest, type Json } from "@paraph/core";
import { type ContextUse, mergeContextUses, readContextUse } from "../analysis/context-use.ts";
import { listNamedEntities } from "../analysis/named-entities.ts";
import { canSeeIdentity } from "../analysis/principal-use.ts";
import { canApply } from "../analysis/scope.ts";
import type { ParsedPolicy } from "../loading/policy-text.ts";
import { type Action, buildCedarSchema } from "./schema.ts";

/** Where Cedar keeps what it needs to answer for one slice: names in its per-thread cache. */
export interface SliceNames {
  readonly preparsedPolicySetId: string;
  readonly preparsedSchemaName: string;
}

/** Policies that are put to Cedar together, and what they, all taken together, look at. */
export interface PolicySlice {
  readonly names: SliceNames;
  readonly use: ContextUse;
  /** The groups they name: no other can matter. */
  readonly groups: ReadonlySet<string>;
  /** Whether one of them permits anything. */
  readonly canPermit: boolean;
  /** Whether they can tell principals of one kind and the same groups apart. */
  readonly canSeeIdentity: boolean;
}

/**
 * Cedar's time grows with every policy it is handed and every action of its schema. So each action gets slices of
 * both, cut when it is first asked about: cost follows the policies that can apply to it, no others. Those that look
 * at the call are one slice and those that do not are another, whose answers can be remembered.
 */
export function createSlicer(policies: readonly ParsedPolicy[]): (action: Action) => readonly PolicySlice[] {
  const cut = new Map<Action, readonly PolicySlice[]>();
  return (action) => {
    const known = cut.get(action);
    if (known) return known;
    const applying = policies.filter((policy) => canApply(policy, action));
    const byCall = Map.groupBy(applying, (policy) => readContextUse(policy).parts.size > 0);
    const slices = [...byCall.values()].map((some) => buildSlice(some, action));
    cut.set(action, slices);
    return slices;
  };
}

function buildSlice(policies: readonly ParsedPolicy[], action: Action): PolicySlice {
  const use = mergeContextUses(policies.map(readContextUse));
  const schema = buildCedarSchema([action], { parts: use.parts });
  const staticPolicies = Object.fromEntries(policies.map((policy) => [policy.id, policy.text]));
  return {
    names: {
      preparsedPolicySetId: prepareOnce(staticPolicies, (name) =>
        preparsePolicySet(name, { staticPolicies }),
      ),
      preparsedSchemaName: prepareOnce(schema as unknown as Json, (name) => preparseSchema(name, schema)),
    },
    use,
    groups: new Set(policies.flatMap(({ json }) => [...listNamedEntities(json, "Group")])),
    canPermit: policies.some(({ json }) => json.effect === "permit"),
    canSeeIdentity: policies.some(canSeeIdentity),
  };
}

/** What this thread's Cedar has been handed. It never forgets, so nothing is handed to it twice. */
const preparedNames = new Set<string>();

/**
 * Named after its content: sets stand side by side in the one cache, actions that the same policies apply to share
 * them, and a reload adds only what it changed.
 */
function prepareOnce(content: Json, prepare: (name: string) => CheckParseAnswer): string {
  const name = digest(content);
  if (preparedNames.has(name)) return name;
  // It was read once at load, so a failure here is a bug; the throw becomes a block like any other.
  if (prepare(name).type === "failure") throw new Error("Cedar did not take a slice of a validated set.");
  preparedNames.add(name);
  return name;
}
