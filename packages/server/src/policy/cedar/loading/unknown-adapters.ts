import { listNamedActions } from "../analysis/scope.ts";
import type { Rule } from "../rules/rule.ts";
import { type PolicySource, parsePolicies } from "./policy-text.ts";

/**
 * Adapters that are unavailable and whose contracts were never stored. Paraph cannot read policies about their
 * capabilities, so it leaves such policies out until the adapters are available. Leaving them out loosens nothing,
 * because those capabilities cannot be called.
 */
export type UnknownAdapters = ReadonlySet<string>;

/** Whether the capability belongs to an unknown adapter. */
export function isUnknownCapability(capability: string, strangers: UnknownAdapters): boolean {
  return strangers.has(capability.split(".", 1)[0]!);
}

/** Whether the rule applies only to an unknown adapter. */
export function isRuleOnUnknownAdapter({ capability, adapter }: Rule, strangers: UnknownAdapters): boolean {
  return (
    strangers.has(adapter ?? "") || (capability !== undefined && isUnknownCapability(capability, strangers))
  );
}

/**
 * Returns the text without the policies whose scope names only actions of unknown adapters. It ignores faults in the
 * text, because a later step reports them.
 */
export function removeUnknownAdapters(source: PolicySource, strangers: UnknownAdapters): PolicySource {
  if (strangers.size === 0) return source;
  const theirs = parsePolicies(source, []).filter((policy) => {
    const named = listNamedActions(policy);
    return named !== undefined && named.length > 0 && named.every((id) => isUnknownAction(id, strangers));
  });
  // Each removed policy becomes blank lines, so that every other policy keeps its line number.
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
