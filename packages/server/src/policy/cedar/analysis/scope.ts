import type { EntityUidJson } from "@cedar-policy/cedar-wasm/nodejs";
import type { Action } from "../evaluation/schema.ts";
import type { ParsedPolicy } from "../loading/policy-text.ts";

/**
 * Returns the actions and action groups that the policy's scope names, or undefined if the scope covers all actions.
 */
export function listNamedActions({ json: { action } }: ParsedPolicy): readonly string[] | undefined {
  if (action.op === "All") return undefined;
  if ("entities" in action) return action.entities.map(readEntityId);
  return "entity" in action ? [readEntityId(action.entity)] : undefined;
}

/**
 * Whether the policy's action scope includes this action. The function ignores the policy's conditions, because Cedar
 * evaluates them.
 */
export function canApply(policy: ParsedPolicy, action: Action): boolean {
  const scope = policy.json.action;
  switch (scope.op) {
    case "All":
      return true;
    case "==":
      // Only templates have a slot in place of the entity, and Paraph does not load templates. For a slot, the function
      // returns true, so that Cedar decides.
      return !("entity" in scope) || readEntityId(scope.entity) === action.contract.name;
    case "in": {
      const named = "entities" in scope ? scope.entities : [scope.entity];
      return named.some((entity) => isInScope(action, readEntityId(entity)));
    }
  }
}

function isInScope(action: Action, id: string): boolean {
  return action.contract.name === id || action.groups.includes(id);
}

function readEntityId(entity: EntityUidJson): string {
  return "__entity" in entity ? entity.__entity.id : entity.id;
}
