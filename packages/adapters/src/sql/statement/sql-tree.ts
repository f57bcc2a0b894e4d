/** The parser's tree of a statement. Keys that start with a capital name PostgreSQL's own node types. */
export type SqlTree = { readonly [key: string]: SqlNode };
export type SqlNode = string | number | boolean | null | SqlTree | readonly SqlNode[];

/**
 * The maximum depth of a tree. It is far beyond the depth of real statements and keeps recursive functions over a tree
 * within the stack.
 */
const maxDepth = 400;

/** Yields every key of a tree with the value below it. If the tree is too deep, it yields `undefined` and stops. */
export function* walkTree(root: SqlNode): Generator<readonly [string, SqlNode] | undefined> {
  const open: { branch: SqlNode; depth: number }[] = [{ branch: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { branch, depth } = next;
    if (typeof branch !== "object" || branch === null) continue;
    if (depth > maxDepth) return yield undefined;
    for (const [key, below] of Object.entries(branch)) {
      if (!Array.isArray(branch)) yield [key, below];
      open.push({ branch: below, depth: depth + 1 });
    }
  }
}

/** Whether a tree contains one of the keys. */
export function hasNode(root: SqlNode, ...keys: readonly string[]): boolean {
  for (const found of walkTree(root)) if (found && keys.includes(found[0])) return true;
  return false;
}

export function listNodes(list: SqlNode | undefined, node: string): SqlTree[] {
  return (Array.isArray(list) ? list : []).flatMap((one) => one?.[node] ?? []);
}

/** Removes text positions from a tree, because a node's position does not affect its meaning. */
export function removeLocations(root: SqlNode): SqlNode {
  if (Array.isArray(root)) return root.map(removeLocations);
  if (typeof root !== "object" || root === null) return root;
  return Object.fromEntries(
    Object.entries(root)
      .filter(
        ([key]) => !/^(?:(?:stmt_)?location|stmt_len|rexpr_list_(?:start|end)|list_(?:start|end))$/.test(key),
      )
      .map(([key, below]) => [key, removeLocations(below)]),
  );
}
