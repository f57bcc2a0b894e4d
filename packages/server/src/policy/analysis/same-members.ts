/** Whether two lists have the same members, in any order. */
export function hasSameMembers(a: readonly string[], b: readonly string[]): boolean {
  const left = new Set(a);
  return left.size === new Set(b).size && b.every((one) => left.has(one));
}
