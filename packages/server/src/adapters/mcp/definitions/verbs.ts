/** A server's own name as the part of a capability's name after the dot. */
export function foldToVerb(name: string): string {
  const plain = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, maxVerbLength);
  return /^[a-z]/.test(plain) ? plain : `t_${plain}`;
}

/** The verb by which every resource of a server is read: no tool's. */
export const readResourceVerb = "read_resource";

/**
 * Verbs for those that have none yet. Who has one keeps it, so that a newcomer cannot take the name, and with it the
 * rules, of another; among newcomers the order is that of their names, not of their coming.
 */
export function assignVerbs(
  newcomers: readonly { readonly id: string; readonly wanted: string }[],
  taken: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const used = new Set(taken);
  const verbs = new Map<string, string>();
  for (const { id, wanted } of [...newcomers].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    let verb = wanted;
    for (let number = 2; used.has(verb); number++) verb = `${wanted}_${number}`;
    used.add(verb);
    verbs.set(id, verb);
  }
  return verbs;
}

const maxVerbLength = 60;
