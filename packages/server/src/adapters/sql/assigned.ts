import { functionName, type Statement } from "./statement.ts";
import type { Table } from "./table.ts";
import { type Branch, branchesOf, type Tree, treesIn } from "./tree.ts";

/** The columns that a statement writes, and those of them whose new values are the same whenever they are computed. */
export interface Assigned {
  readonly columns: readonly string[];
  readonly settled: readonly string[];
}

/** `unsettled`: functions whose results may differ from one moment to the next. */
export function assignedBy(
  { kind, tree }: Statement,
  table: Table,
  unsettled: ReadonlySet<string>,
): Assigned {
  const targets = targetsOf(kind, tree, table);
  const moving = new Set(
    targets.filter(({ value }) => !isSettled(value, unsettled)).map(({ column }) => column),
  );
  const columns = [...new Set(targets.map(({ column }) => column))];
  return { columns, settled: columns.filter((column) => !moving.has(column)) };
}

interface Target {
  readonly column: string;
  readonly value: Branch;
}

function targetsOf(kind: string, tree: Tree, table: Table): Target[] {
  switch (kind) {
    case "UpdateStmt":
      return setTargets(tree.targetList);
    case "InsertStmt": {
      const conflict = tree.onConflictClause as Tree | undefined;
      return [...insertTargets(tree.cols, tree.selectStmt, table), ...setTargets(conflict?.targetList)];
    }
    case "MergeStmt":
      return treesIn(tree.mergeWhenClauses, "MergeWhenClause").flatMap((clause) =>
        clause.commandType === "CMD_INSERT"
          ? insertTargets(clause.targetList, clause.values, table)
          : setTargets(clause.targetList),
      );
    default:
      return [];
  }
}

function setTargets(list: Branch | undefined): Target[] {
  return treesIn(list, "ResTarget").map(({ name, val }) => ({ column: `${name}`, value: val ?? null }));
}

/** Which value goes where is not followed: one that moves makes all of them moving. */
function insertTargets(list: Branch | undefined, values: Branch | undefined, table: Table): Target[] {
  if (values === undefined) return [];
  const named = treesIn(list, "ResTarget").map(({ name }) => `${name}`);
  const columns = named.length > 0 ? named : table.columns.map(({ name }) => name);
  return columns.map((column) => ({ column, value: values }));
}

function isSettled(value: Branch, unsettled: ReadonlySet<string>): boolean {
  for (const found of branchesOf({ value })) {
    const [key, below] = found ?? [];
    if (key === "SQLValueFunction" || key === "SetToDefault") return false;
    if (key === "FuncCall" && unsettled.has(functionName(below as Tree))) return false;
  }
  return true;
}
