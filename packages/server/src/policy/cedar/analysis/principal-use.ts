import type { ParsedPolicy } from "../loading/policy-text.ts";
import { readOperand } from "./expression.ts";

/**
 * Whether a policy can distinguish principals of the same kind and groups, by identity, owner or the person they act
 * for. Most policies cannot, so such principals share one cached answer. Every expression that is not known to be safe
 * counts as distinguishing principals.
 */
export function canSeeIdentity({ json }: Pick<ParsedPolicy, "json">): boolean {
  const { principal, conditions } = json;
  const isGeneral =
    principal.op === "All" ||
    (principal.op === "is" && (!principal.in || isGroupScope(principal.in))) ||
    (principal.op === "in" && isGroupScope(principal));
  return !isGeneral || hasIdentityUse(conditions);
}

function isGroupScope(scope: object): boolean {
  return "entity" in scope && isGroupEntity(scope.entity);
}

function hasIdentityUse(node: unknown): boolean {
  if (typeof node !== "object" || node === null || isKindTest(node) || isGroupTest(node)) return false;
  return isPrincipalVariable(node) || isPrincipalEntity(node) || Object.values(node).some(hasIdentityUse);
}

/** Whether the node names an entity that may be the principal. */
function isPrincipalEntity(node: object): boolean {
  return "type" in node && ["Agent", "Person", "Service"].includes(String(node.type));
}

/** Whether the node is `principal is Agent` or similar. */
function isKindTest(node: object): boolean {
  const asked = readOperand(node, "is");
  return !!asked && isPrincipalVariable(asked.left) && !("in" in asked);
}

/** Whether the node is `principal in Group::"x"` or similar. */
function isGroupTest(node: object): boolean {
  const asked = readOperand(node, "in");
  const value = readOperand(asked?.right, "Value");
  return !!asked && isPrincipalVariable(asked.left) && !!value && isGroupEntity(value.__entity);
}

function isGroupEntity(entity: unknown): boolean {
  return typeof entity === "object" && entity !== null && "type" in entity && entity.type === "Group";
}

function isPrincipalVariable(node: unknown): boolean {
  return typeof node === "object" && node !== null && "Var" in node && node.Var === "principal";
}
