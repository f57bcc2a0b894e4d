import { listNamedActions } from "../analysis/scope.ts";
import type { Rule } from "../rules/rule.ts";
import { type PolicySource, parsePolicies } from "./policy-text.ts";

/**
 * Adapters that are away and were never here: nobody knows what they offer, so nothing about it can be read, and none of
 * it can be called. What is about them alone is set aside until they come; that loosens nothing.
 */
export type UnknownAdapters = ReadonlySet<string>;

export function isUnknownCapability(capability: string, strangers: UnknownAdapters): boolean {
  return strangers.has(capability.split(".", 1)[0]!);
}

export function isRuleOnUnknownAdapter({ capability, adapter }: Rule, strangers: UnknownAdapters): boolean {
  return (
    strangers.has(adapter ?? "") || (capability !== undefined && isUnknownCapability(capability, strangers))
  );
}

/** The text without policies whose scope names actions of strangers only. Faults are for whoever reads the rest. */
export function removeUnknownAdapters(source: PolicySource, strangers: UnknownAdapters): PolicySource {
  if (strangers.size === 0) return source;
  const theirs = parsePolicies(source, []).filter((policy) => {
    const named = listNamedActions(policy);
    return named !== undefined && named.length > 0 && named.every((id) => isUnknownAction(id, strangers));
  });
  // Blanked out, not cut: every other policy keeps its line.
  const text = theirs.reduce(
    (whole, policy) => whole.replace(policy.text, toBlankLines(policy.text)),
    source.text,
  );
  return { ...source, text };
}

function isUnknownAction(action: string, strangers: UnknownAdapters): boolean {
  return action.startsWith("adapter:")
    ? strangers.has(action.slice("adapter:".length))
    : action.includes(".") && isUnknownCapability(action, strangers);
}

function toBlankLines(text: string): string {
  return text.replaceAll(/[^\n]+/g, "");
}
