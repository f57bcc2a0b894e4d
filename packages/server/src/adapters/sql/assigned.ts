import { functionName, type Statement } from "./statement.ts";
import type { Column, Table } from "./table.ts";
import { type Branch, branchesOf, holds, type Tree, treesIn } from "./tree.ts";

/** The columns that a statement writes, and how their new values are told and compared. */
export interface Assigned {
  readonly columns: readonly string[];
  /** Columns whose new values are other ones at every run, and may be: what is compared is where they come from. */
  readonly moving: ReadonlyMap<string, Moving>;
  /** The functions behind generated values. */
  readonly generators: ReadonlySet<string>;
}

/**
 * `generated`: PostgreSQL makes the value, from a sequence or as a UUID; `generated-new`: in new rows only. `clocked`: the value
 * is computed from the time, so it is compared as a distance from the time of the change.
 */
export type Moving = "generated" | "generated-new" | "clocked";

/** `allowed`: volatile functions that the configuration names; as a default they make values too. */
export function assignedBy({ kind, tree }: Statement, table: Table, allowed: readonly string[]): Assigned {
  const targets = targetsOf(kind, tree, table);
  const columns = [...new Set(targets.map(({ column }) => column))];
  const inserts = kind === "InsertStmt" || kind === "MergeStmt";
  const moving = new Map<string, Moving>();
  const generators = new Set<string>();
  for (const column of table.columns) {
    const values = targets.filter((target) => target.column === column.name);
    const sources = values.flatMap((target) =>
      target.values.map((value) => sourceOf(value, column, allowed)),
    );
    if (values.length === 0 && inserts) sources.push(defaultSource(column, allowed));
    const isGenerated =
      sources.every(({ generator }) => generator !== undefined) && values.every(({ isWhole }) => isWhole);
    if (sources.length === 0) continue;
    if (isGenerated) {
      moving.set(column.name, values.length === 0 ? "generated-new" : "generated");
      for (const { generator } of sources) generators.add(generator!);
    } else if (sources.some(({ isClocked }) => isClocked)) moving.set(column.name, "clocked");
  }
  return { columns, moving, generators };
}

interface Target {
  readonly column: string;
  readonly values: readonly Branch[];
  /** False where only an element or a field of the column is written. */
  readonly isWhole: boolean;
}

function targetsOf(kind: string, tree: Tree, table: Table): Target[] {
  switch (kind) {
    case "UpdateStmt":
      return setTargets(tree.targetList);
    case "InsertStmt": {
      const conflict = tree.onConflictClause as Tree | undefined;
      const given = rowsIn((tree.selectStmt as Tree | undefined)?.SelectStmt as Tree | undefined);
      return [...insertTargets(tree.cols, given, table), ...setTargets(conflict?.targetList)];
    }
    case "MergeStmt":
      return treesIn(tree.mergeWhenClauses, "MergeWhenClause").flatMap((clause) =>
        clause.commandType === "CMD_INSERT"
          ? insertTargets(clause.targetList, [(clause.values ?? []) as readonly Branch[]], table)
          : setTargets(clause.targetList),
      );
    default:
      return [];
  }
}

function setTargets(list: Branch | undefined): Target[] {
  return treesIn(list, "ResTarget").map(({ name, val, indirection }) => ({
    column: `${name}`,
    values: [val ?? null],
    isWhole: indirection === undefined,
  }));
}

/** The rows of values that are inserted; the query itself, in place of each value, where they are not written one by one. */
function rowsIn(select: Tree | undefined): readonly (readonly Branch[])[] | Tree | undefined {
  if (select === undefined) return undefined;
  const lists = treesIn(select.valuesLists, "List").map(({ items }) => items as readonly Branch[]);
  if (lists.length > 0) return lists;
  const isPlain = select.op === "SETOP_NONE" && !holds({ list: select.targetList ?? null }, "A_Star");
  return isPlain ? [treesIn(select.targetList, "ResTarget").map(({ val }) => val ?? null)] : select;
}

function insertTargets(
  list: Branch | undefined,
  rows: readonly (readonly Branch[])[] | Tree | undefined,
  table: Table,
): Target[] {
  if (rows === undefined) return [];
  const named = treesIn(list, "ResTarget");
  const columns =
    named.length > 0 ? named.map(({ name }) => `${name}`) : table.columns.map(({ name }) => name);
  const whole = rows as Tree;
  const width = Array.isArray(rows) ? Math.max(...rows.map((row) => row.length)) : columns.length;
  return columns.slice(0, width).map((column, index) => ({
    column,
    values: Array.isArray(rows) ? rows.map((row) => row[index] ?? null) : [whole],
    isWhole: named[index]?.indirection === undefined,
  }));
}

interface Source {
  readonly generator?: string | undefined;
  readonly isClocked: boolean;
}

function sourceOf(value: Branch, column: Column, allowed: readonly string[]): Source {
  if (holds({ value }, "SetToDefault")) return defaultSource(column, allowed);
  return { generator: generatorIn(value), isClocked: readsClock(value) };
}

/** A call of a generator and nothing else: in anything larger, a value could depend on more. */
function generatorIn(value: Branch): string | undefined {
  const { TypeCast, FuncCall } = (value ?? {}) as { [key: string]: Tree | undefined };
  if (TypeCast) return generatorIn(TypeCast.arg ?? null);
  const name = FuncCall && functionName(FuncCall);
  const isConstant = !holds({ args: FuncCall?.args ?? null }, ...computed);
  return name !== undefined && generating.includes(name) && isConstant ? name : undefined;
}

const generating = ["gen_random_uuid", "uuidv4", "uuidv7", "nextval"];
const computed = [
  "ColumnRef",
  "FuncCall",
  "SubLink",
  "CaseExpr",
  "A_Expr",
  "SQLValueFunction",
  "CoalesceExpr",
];

function readsClock(value: Branch): boolean {
  for (const found of branchesOf({ value })) {
    const [key, below] = found ?? [];
    if (key === "SQLValueFunction") return true;
    if (key === "FuncCall" && clocks.test(functionName(below as Tree))) return true;
  }
  return false;
}

const clocks = /^(?:now|(?:clock|statement|transaction)_timestamp)$/;

/** PostgreSQL writes defaults in one form, its own functions without their schema. */
function defaultSource({ byDefault, identity }: Column, allowed: readonly string[]): Source {
  if (identity) return { generator: "", isClocked: false };
  const [, own, sequence, name] = generatedDefault.exec(byDefault ?? "") ?? [];
  const theirs = name !== undefined && allowed.includes(name) ? "" : undefined;
  return {
    generator: own ?? (sequence === undefined ? theirs : "nextval"),
    isClocked: /\bnow\(|_timestamp\(|\bCURRENT_|\bLOCALTIME/.test(byDefault ?? ""),
  };
}

const generatedDefault =
  /^(?:(gen_random_uuid|uuidv4|uuidv7)\(\)|(nextval\('[^']*'::regclass\))|(?:\w+\.)?(\w+)\([^()]*\))(?:::[\w ]+)?$/;
