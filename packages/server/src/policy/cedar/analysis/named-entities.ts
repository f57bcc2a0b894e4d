/**
 * Returns the ids of the entities of this type that a policy names in its scope or conditions. The list is complete,
 * because a policy can refer to a group, or to an action other than the requested one, only by its id. A record that
 * looks like an entity also counts, which can cost time but does not change a ruling.
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
