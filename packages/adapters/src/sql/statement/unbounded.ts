import { hasNode, removeLocations, type SqlNode, type SqlTree } from "./sql-tree.ts";
import type { SqlStatement } from "./statement.ts";

/**
 * Whether the text shows that an update or delete affects every row. Such a statement has no WHERE clause, or its
 * condition is always true.
 */
export function isUnbounded({ kind, tree }: SqlStatement): boolean {
  return (kind === "UpdateStmt" || kind === "DeleteStmt") && isAlwaysTrue(tree.whereClause ?? null);
}

/**
 * Whether the condition is always true, as far as its text shows. If the function cannot decide, the condition counts
 * as a limit. In that case, the row count in the preview still shows how many rows the statement affects.
 */
function isAlwaysTrue(condition: SqlNode): boolean {
  if (condition === null) return true;
  const { BoolExpr, A_Expr, NullTest } = condition as { [key: string]: SqlTree | undefined };
  if (BoolExpr) {
    const parts = (BoolExpr.args ?? []) as readonly SqlNode[];
    if (BoolExpr.boolop === "OR_EXPR") return parts.some(isAlwaysTrue);
    if (BoolExpr.boolop === "AND_EXPR") return parts.every(isAlwaysTrue);
  }
  // A condition such as `id = id` is true for every row that has an id, so it counts as always true.
  if (A_Expr && isSameNode(A_Expr.lexpr, A_Expr.rexpr)) return true;
  // A condition without columns, such as `1 = 1` or `true`, matches every row. The condition `false` matches no rows. A
  // parameter can be true or false, so it counts as true.
  return NullTest === undefined && !isFalse(condition) && !hasNode({ condition }, "ColumnRef", "SubLink");
}

function isFalse(condition: SqlNode): boolean {
  const constant = (condition as { A_Const?: { boolval?: { boolval?: boolean } } }).A_Const;
  return constant?.boolval !== undefined && constant.boolval.boolval !== true;
}

function isSameNode(one: SqlNode | undefined, other: SqlNode | undefined): boolean {
  const text = (branch: SqlNode | undefined) => JSON.stringify(removeLocations(branch ?? null));
  return one !== undefined && text(one) === text(other);
}
