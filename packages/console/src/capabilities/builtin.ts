/** The adapters of Paraph itself, with what they are for. */
export const builtinNames: Readonly<Record<string, string>> = {
  admin: "administers Paraph",
  check: "checks that policy runs",
  human: "asks people",
  plan: "several steps as one call",
};

/** Sorts by name, and puts what belongs to Paraph itself last, because readers look for their own. */
export function sortBuiltinLast<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const order = (item: T) => {
    const name = nameOf(item);
    return `${(name.split(".", 1)[0] ?? "") in builtinNames ? 1 : 0}${name}`;
  };
  return items.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}
