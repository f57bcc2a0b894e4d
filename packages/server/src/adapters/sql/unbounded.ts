import type { Statement } from "./statement.ts";
import { type Branch, holds, type Tree, withoutPlaces } from "./tree.ts";

/** An update or delete that nothing limits: no WHERE, or one that does not depend on the row. */
export function isUnbounded({ kind, tree }: Statement): boolean {
  return (kind === "UpdateStmt" || kind === "DeleteStmt") && isAlways(tree.whereClause ?? null);
}

/** As far as the text tells: what it cannot see through, it takes for a limit. The count tells the rest. */
function isAlways(condition: Branch): boolean {
  if (condition === null) return true;
  const { BoolExpr, A_Expr, NullTest } = condition as { [key: string]: Tree | undefined };
  if (BoolExpr) {
    const parts = (BoolExpr.args ?? []) as readonly Branch[];
    if (BoolExpr.boolop === "OR_EXPR") return parts.some(isAlways);
    if (BoolExpr.boolop === "AND_EXPR") return parts.every(isAlways);
  }
  // `id = id` holds for every row that has an id.
  if (A_Expr && same(A_Expr.lexpr, A_Expr.rexpr)) return true;
  // `1 = 1` and `true`, but not `false`, which limits it to nothing; a parameter may be either.
  return NullTest === undefined && !isNo(condition) && !holds({ condition }, "ColumnRef", "SubLink");
}

function isNo(condition: Branch): boolean {
  const constant = (condition as { A_Const?: { boolval?: { boolval?: boolean } } }).A_Const;
  return constant?.boolval !== undefined && constant.boolval.boolval !== true;
}

function same(one: Branch | undefined, other: Branch | undefined): boolean {
  const text = (branch: Branch | undefined) => JSON.stringify(withoutPlaces(branch ?? null));
  return one !== undefined && text(one) === text(other);
}
