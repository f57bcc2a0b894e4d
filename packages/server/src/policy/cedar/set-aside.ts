import { type PolicySource, singlePolicies } from "./policy-text.ts";
import type { Rule } from "./rule.ts";
import { actionsNamed } from "./scope.ts";

/**
 * Adapters that are away and were never here: nobody knows what they offer, so nothing about it can be read, and none of
 * it can be called. What is about them alone is set aside until they come; that loosens nothing.
 */
export type Strangers = ReadonlySet<string>;

export function isStranger(capability: string, strangers: Strangers): boolean {
  return strangers.has(capability.split(".", 1)[0]!);
}

export function isRuleOnStrangers({ capability, adapter }: Rule, strangers: Strangers): boolean {
  return strangers.has(adapter ?? "") || (capability !== undefined && isStranger(capability, strangers));
}

/** The text without policies whose scope names actions of strangers only. Faults are for whoever reads the rest. */
export function withoutStrangers(source: PolicySource, strangers: Strangers): PolicySource {
  if (strangers.size === 0) return source;
  const theirs = singlePolicies(source, []).filter((policy) => {
    const named = actionsNamed(policy);
    return named !== undefined && named.length > 0 && named.every((id) => isStrange(id, strangers));
  });
  // Blanked out, not cut: every other policy keeps its line.
  const text = theirs.reduce((whole, policy) => whole.replace(policy.text, blanks(policy.text)), source.text);
  return { ...source, text };
}

function isStrange(action: string, strangers: Strangers): boolean {
  return action.startsWith("adapter:")
    ? strangers.has(action.slice("adapter:".length))
    : action.includes(".") && isStranger(action, strangers);
}

function blanks(text: string): string {
  return text.replaceAll(/[^\n]+/g, "");
}
