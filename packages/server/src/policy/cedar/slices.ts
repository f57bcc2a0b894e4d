import { type CheckParseAnswer, preparsePolicySet, preparseSchema } from "@cedar-policy/cedar-wasm/nodejs";
import { digest, type Json } from "@paraph/core";
import { type ContextUse, contextUseOf, together } from "./context-use.ts";
import { entitiesNamed } from "./named-entities.ts";
import type { SinglePolicy } from "./policy-text.ts";
import { seesWho } from "./principal-use.ts";
import { type Action, schemaOf } from "./schema.ts";
import { canApply } from "./scope.ts";

/** Where Cedar keeps what it needs to answer for one slice: names in its per-thread cache. */
export interface SliceNames {
  readonly preparsedPolicySetId: string;
  readonly preparsedSchemaName: string;
}

/** Policies that are put to Cedar together, and what they, all taken together, look at. */
export interface Slice {
  readonly names: SliceNames;
  readonly use: ContextUse;
  /** The groups they name: no other can matter. */
  readonly groups: ReadonlySet<string>;
  /** Whether one of them permits anything. */
  readonly permits: boolean;
  /** Whether they can tell principals of one kind and the same groups apart. */
  readonly seesWho: boolean;
}

/**
 * Cedar's time grows with every policy it is handed and every action of its schema. So each action gets slices of
 * both, cut when it is first asked about: cost follows the policies that can apply to it, no others. Those that look
 * at the call are one slice and those that do not are another, whose answers can be remembered.
 */
export function slicesOf(policies: readonly SinglePolicy[]): (action: Action) => readonly Slice[] {
  const cut = new Map<Action, readonly Slice[]>();
  return (action) => {
    const known = cut.get(action);
    if (known) return known;
    const applying = policies.filter((policy) => canApply(policy, action));
    const byCall = Map.groupBy(applying, (policy) => contextUseOf(policy).parts.size > 0);
    const slices = [...byCall.values()].map((some) => sliceOf(some, action));
    cut.set(action, slices);
    return slices;
  };
}

function sliceOf(policies: readonly SinglePolicy[], action: Action): Slice {
  const use = together(policies.map(contextUseOf));
  const schema = schemaOf([action], { parts: use.parts });
  const staticPolicies = Object.fromEntries(policies.map((policy) => [policy.id, policy.text]));
  return {
    names: {
      preparsedPolicySetId: prepared(staticPolicies, (name) => preparsePolicySet(name, { staticPolicies })),
      preparsedSchemaName: prepared(schema as unknown as Json, (name) => preparseSchema(name, schema)),
    },
    use,
    groups: new Set(policies.flatMap(({ json }) => [...entitiesNamed(json, "Group")])),
    permits: policies.some(({ json }) => json.effect === "permit"),
    seesWho: policies.some(seesWho),
  };
}

/** What this thread's Cedar has been handed. It never forgets, so nothing is handed to it twice. */
const handedOver = new Set<string>();

/**
 * Named after its content: sets stand side by side in the one cache, actions that the same policies apply to share
 * them, and a reload adds only what it changed.
 */
function prepared(content: Json, prepare: (name: string) => CheckParseAnswer): string {
  const name = digest(content);
  if (handedOver.has(name)) return name;
  // It was read once at load, so a failure here is a bug; the throw becomes a block like any other.
  if (prepare(name).type === "failure") throw new Error("Cedar did not take a slice of a validated set.");
  handedOver.add(name);
  return name;
}
