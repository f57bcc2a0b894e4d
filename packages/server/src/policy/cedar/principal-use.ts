import { only } from "./expression.ts";
import type { SinglePolicy } from "./policy-text.ts";

/**
 * Whether a policy can tell two principals of one kind apart by anything but their groups: by who they are, who owns
 * them, whom they act for. Most cannot, and then one answer is good for all of them. As with the context, only
 * forms that are known to be harmless are taken for harmless.
 */
export function seesWho({ json }: Pick<SinglePolicy, "json">): boolean {
  const { principal, conditions } = json;
  const isGeneral =
    principal.op === "All" ||
    (principal.op === "is" && (!principal.in || isGroup(principal.in))) ||
    (principal.op === "in" && isGroup(principal));
  return !isGeneral || seesWithin(conditions);
}

function isGroup(scope: object): boolean {
  return "entity" in scope && isOfGroup(scope.entity);
}

function seesWithin(node: unknown): boolean {
  if (typeof node !== "object" || node === null || asksKind(node) || asksGroup(node)) return false;
  return isPrincipal(node) || Object.values(node).some(seesWithin);
}

/** `principal is Agent` */
function asksKind(node: object): boolean {
  const asked = only(node, "is");
  return !!asked && isPrincipal(asked.left) && !("in" in asked);
}

/** `principal in Group::"x"` */
function asksGroup(node: object): boolean {
  const asked = only(node, "in");
  const value = only(asked?.right, "Value");
  return !!asked && isPrincipal(asked.left) && !!value && isOfGroup(value.__entity);
}

function isOfGroup(entity: unknown): boolean {
  return typeof entity === "object" && entity !== null && "type" in entity && entity.type === "Group";
}

function isPrincipal(node: unknown): boolean {
  return typeof node === "object" && node !== null && "Var" in node && node.Var === "principal";
}
