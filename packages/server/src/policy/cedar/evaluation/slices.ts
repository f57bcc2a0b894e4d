import { type CheckParseAnswer, preparsePolicySet, preparseSchema } from "@cedar-policy/cedar-wasm/nodejs";
import { digest, type Json } from "@paraph/core";
import { type ContextUse, mergeContextUses, readContextUse } from "../analysis/context-use.ts";
import { isOnlyLiftedByEvidence } from "../analysis/discharge.ts";
import { listNamedEntities } from "../analysis/named-entities.ts";
import { canSeeIdentity } from "../analysis/principal-use.ts";
import { canApply } from "../analysis/scope.ts";
import type { ParsedPolicy } from "../loading/policy-text.ts";
import { type CompiledPolicies, compilePolicies } from "./closures/compile-policies.ts";
import { type Action, buildCedarSchema } from "./schema.ts";

/** The names under which Cedar's per-thread cache holds the content of a slice. */
export interface SliceNames {
  readonly preparsedPolicySetId: string;
  readonly preparsedSchemaName: string;
}

/** Policies that Cedar evaluates together, and everything that they read. */
export interface PolicySlice {
  /** Prepares the slice for Cedar when it is first called, because closures evaluate most requests without Cedar. */
  readonly getNames: () => SliceNames;
  /** The policies as closures. Undefined if only Cedar can evaluate them. */
  readonly compiled: CompiledPolicies | undefined;
  readonly use: ContextUse;
  /** The groups that the policies name. Other groups cannot change the answer. */
  readonly groups: ReadonlySet<string>;
  /** Whether further evidence can change the answer only by lifting guards. */
  readonly onlyLiftedByEvidence: boolean;
  /** Whether one of the policies is a permit. */
  readonly canPermit: boolean;
  /** Whether the policies can distinguish principals of the same kind and groups. */
  readonly canSeeIdentity: boolean;
}

/**
 * Creates a function that returns the policies for an action in slices. Cedar takes more time the more policies and
 * actions it must consider. Each slice therefore holds only one action and the policies that can apply to it. The
 * function builds the slices when the action is first requested. Policies that read the call form one slice. All others
 * form a second slice, whose answers can be cached.
 */
export function createSlicer(policies: readonly ParsedPolicy[]): (action: Action) => readonly PolicySlice[] {
  const cut = new Map<Action, readonly PolicySlice[]>();
  const uses = new Map(policies.map((policy) => [policy, readContextUse(policy)]));
  return (action) => {
    const known = cut.get(action);
    if (known) return known;
    const applying = policies.filter((policy) => canApply(policy, action));
    const byCall = Map.groupBy(applying, (policy) => uses.get(policy)!.parts.size > 0);
    const slices = [...byCall.values()].map((some) =>
      buildSlice(some, action, mergeContextUses(some.map((policy) => uses.get(policy)!))),
    );
    cut.set(action, slices);
    return slices;
  };
}

function buildSlice(policies: readonly ParsedPolicy[], action: Action, use: ContextUse): PolicySlice {
  let names: SliceNames | undefined;
  return {
    getNames: () => {
      names ??= prepareSlice(policies, action, use);
      return names;
    },
    compiled: compilePolicies(policies),
    use,
    groups: new Set(policies.flatMap(({ json }) => [...listNamedEntities(json, "Group")])),
    onlyLiftedByEvidence: policies.every(isOnlyLiftedByEvidence),
    canPermit: policies.some(({ json }) => json.effect === "permit"),
    canSeeIdentity: policies.some(canSeeIdentity),
  };
}

function prepareSlice(policies: readonly ParsedPolicy[], action: Action, { parts }: ContextUse): SliceNames {
  const schema = buildCedarSchema([action], { parts });
  const staticPolicies = Object.fromEntries(policies.map((policy) => [policy.id, policy.text]));
  return {
    preparsedPolicySetId: prepareOnce(staticPolicies, (name) => preparsePolicySet(name, { staticPolicies })),
    preparsedSchemaName: prepareOnce(schema as unknown as Json, (name) => preparseSchema(name, schema)),
  };
}

/**
 * The names of the content that Cedar has cached in this thread. Cedar never drops such content, so Paraph prepares
 * nothing twice.
 */
const preparedNames = new Set<string>();

/**
 * Prepares content in Cedar's cache, with its digest as the name. All policy sets share the cache. Actions with the
 * same policies therefore share an entry, and a reload adds only changed content.
 */
function prepareOnce(content: Json, prepare: (name: string) => CheckParseAnswer): string {
  const name = digest(content);
  if (preparedNames.has(name)) return name;
  // The content was parsed at load time, so a failure here is a bug. The exception blocks the call, like any other
  // exception.
  if (prepare(name).type === "failure") throw new Error("Cedar rejected a slice of a validated policy set.");
  preparedNames.add(name);
  return name;
}
