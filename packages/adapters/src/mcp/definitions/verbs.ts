/**
 * Derives a verb from the name that a server gives to a definition. The verb is the part of a capability's name after
 * the dot.
 */
export function foldToVerb(name: string): string {
  const plain = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, maxVerbLength);
  return /^[a-z]/.test(plain) ? plain : `t_${plain}`;
}

/** The verb of the capability that reads resources. No tool gets this verb. */
export const readResourceVerb = "read_resource";

/**
 * Assigns verbs to definitions that have none. An assigned verb is kept, so that a new tool cannot take over the name
 * and the rules of another tool. New definitions are processed in the order of their names, so the result does not
 * depend on the server's order.
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
