/**
 * Ids of the entities of this type that a policy names, in its scope or its conditions. Cedar has no other way to
 * come by a group or an action, apart from the action that is asked about. An author's record that looks like an
 * entity is taken for one: that costs a moment and no rule.
 */
export function listNamedEntities(node: unknown, type: "Action" | "Group"): ReadonlySet<string> {
  const ids = new Set<string>();
  collectEntityIds(node, type, ids);
  return ids;
}

function collectEntityIds(node: unknown, type: string, ids: Set<string>): void {
  if (typeof node !== "object" || node === null) return;
  if ("type" in node && node.type === type && "id" in node && typeof node.id === "string") ids.add(node.id);
  for (const part of Object.values(node)) collectEntityIds(part, type, ids);
}
