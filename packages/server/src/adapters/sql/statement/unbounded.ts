import { hasNode, removeLocations, type SqlNode, type SqlTree } from "./sql-tree.ts";
import type { SqlStatement } from "./statement.ts";

/** An update or delete that nothing limits: no WHERE, or one that does not depend on the row. */
export function isUnbounded({ kind, tree }: SqlStatement): boolean {
  return (kind === "UpdateStmt" || kind === "DeleteStmt") && isAlwaysTrue(tree.whereClause ?? null);
}

/** As far as the text tells: what it cannot see through, it takes for a limit. The count tells the rest. */
function isAlwaysTrue(condition: SqlNode): boolean {
  if (condition === null) return true;
  const { BoolExpr, A_Expr, NullTest } = condition as { [key: string]: SqlTree | undefined };
  if (BoolExpr) {
    const parts = (BoolExpr.args ?? []) as readonly SqlNode[];
    if (BoolExpr.boolop === "OR_EXPR") return parts.some(isAlwaysTrue);
    if (BoolExpr.boolop === "AND_EXPR") return parts.every(isAlwaysTrue);
  }
  // `id = id` holds for every row that has an id.
  if (A_Expr && isSameNode(A_Expr.lexpr, A_Expr.rexpr)) return true;
  // `1 = 1` and `true`, but not `false`, which limits it to nothing; a parameter may be either.
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
