import type { Table, TableColumn } from "../change/table.ts";
import { hasNode, listNodes, type SqlNode, type SqlTree, walkTree } from "./sql-tree.ts";
import { readFunctionName, type SqlStatement } from "./statement.ts";

/** The columns that a statement writes, and how Paraph shows and compares their new values. */
export interface Assignments {
  readonly columns: readonly string[];
  /**
   * The columns whose new values may differ at every run. For these columns, Paraph compares the source of the value
   * instead of the value.
   */
  readonly varying: ReadonlyMap<string, VaryingKind>;
  /** The functions that produce the generated values. */
  readonly generators: ReadonlySet<string>;
}

/**
 * The kind of a value that differs at every run. PostgreSQL creates a `generated` value from a sequence or as a UUID.
 * It creates a `generated-new` value in the same manner, but only in new rows. A `clocked` value is computed from the
 * current time, so Paraph compares its distance from the time of the change.
 */
export type VaryingKind = "generated" | "generated-new" | "clocked";

/**
 * Finds the columns that a statement writes. `allowed` lists the volatile functions that the configuration allows. Such
 * a function counts as a generator if it is a column's default.
 */
export function findAssignments(
  { kind, tree }: SqlStatement,
  table: Table,
  allowed: readonly string[],
): Assignments {
  const targets = listTargets(kind, tree, table);
  const columns = [...new Set(targets.map(({ column }) => column))];
  const inserts = kind === "InsertStmt" || kind === "MergeStmt";
  const moving = new Map<string, VaryingKind>();
  const generators = new Set<string>();
  for (const column of table.columns) {
    const values = targets.filter((target) => target.column === column.name);
    const sources = values.flatMap((target) =>
      target.values.map((value) => findSource(value, column, allowed)),
    );
    if (values.length === 0 && inserts) sources.push(findDefaultSource(column, allowed));
    const isGenerated =
      sources.every(({ generator }) => generator !== undefined) && values.every(({ isWhole }) => isWhole);
    if (sources.length === 0) continue;
    if (isGenerated) {
      moving.set(column.name, values.length === 0 ? "generated-new" : "generated");
      for (const { generator } of sources) generators.add(generator!);
    } else if (sources.some(({ isClocked }) => isClocked)) moving.set(column.name, "clocked");
  }
  return { columns, varying: moving, generators };
}

interface AssignmentTarget {
  readonly column: string;
  readonly values: readonly SqlNode[];
  /** Whether the statement writes the whole column, and not only an element or a field of it. */
  readonly isWhole: boolean;
}

function listTargets(kind: string, tree: SqlTree, table: Table): AssignmentTarget[] {
  switch (kind) {
    case "UpdateStmt":
      return listSetTargets(tree.targetList);
    case "InsertStmt": {
      const conflict = tree.onConflictClause as SqlTree | undefined;
      const given = readInsertRows(
        (tree.selectStmt as SqlTree | undefined)?.SelectStmt as SqlTree | undefined,
      );
      return [...listInsertTargets(tree.cols, given, table), ...listSetTargets(conflict?.targetList)];
    }
    case "MergeStmt":
      return listNodes(tree.mergeWhenClauses, "MergeWhenClause").flatMap((clause) =>
        clause.commandType === "CMD_INSERT"
          ? listInsertTargets(clause.targetList, [(clause.values ?? []) as readonly SqlNode[]], table)
          : listSetTargets(clause.targetList),
      );
    default:
      return [];
  }
}

function listSetTargets(list: SqlNode | undefined): AssignmentTarget[] {
  return listNodes(list, "ResTarget").map(({ name, val, indirection }) => ({
    column: `${name}`,
    values: [val ?? null],
    isWhole: indirection === undefined,
  }));
}

/**
 * Returns the rows of inserted values. If the function cannot list the values, it returns the query, which then stands
 * for every value.
 */
function readInsertRows(select: SqlTree | undefined): readonly (readonly SqlNode[])[] | SqlTree | undefined {
  if (select === undefined) return undefined;
  const lists = listNodes(select.valuesLists, "List").map(({ items }) => items as readonly SqlNode[]);
  if (lists.length > 0) return lists;
  const isPlain = select.op === "SETOP_NONE" && !hasNode({ list: select.targetList ?? null }, "A_Star");
  return isPlain ? [listNodes(select.targetList, "ResTarget").map(({ val }) => val ?? null)] : select;
}

function listInsertTargets(
  list: SqlNode | undefined,
  rows: readonly (readonly SqlNode[])[] | SqlTree | undefined,
  table: Table,
): AssignmentTarget[] {
  if (rows === undefined) return [];
  const named = listNodes(list, "ResTarget");
  const columns =
    named.length > 0 ? named.map(({ name }) => `${name}`) : table.columns.map(({ name }) => name);
  const whole = rows as SqlTree;
  const width = Array.isArray(rows) ? Math.max(...rows.map((row) => row.length)) : columns.length;
  return columns.slice(0, width).map((column, index) => ({
    column,
    values: Array.isArray(rows) ? rows.map((row) => row[index] ?? null) : [whole],
    isWhole: named[index]?.indirection === undefined,
  }));
}

interface ValueSource {
  readonly generator?: string | undefined;
  readonly isClocked: boolean;
}

function findSource(value: SqlNode, column: TableColumn, allowed: readonly string[]): ValueSource {
  if (hasNode({ value }, "SetToDefault")) return findDefaultSource(column, allowed);
  return { generator: findGenerator(value), isClocked: readsClock(value) };
}

/**
 * Returns the name of a generator if the value is a call of that generator and nothing else. A larger expression could
 * depend on other values.
 */
function findGenerator(value: SqlNode): string | undefined {
  const { TypeCast, FuncCall } = (value ?? {}) as { [key: string]: SqlTree | undefined };
  if (TypeCast) return findGenerator(TypeCast.arg ?? null);
  const name = FuncCall && readFunctionName(FuncCall);
  const isConstant = !hasNode({ args: FuncCall?.args ?? null }, ...computedNodes);
  return name !== undefined && generatorNames.includes(name) && isConstant ? name : undefined;
}

const generatorNames = ["gen_random_uuid", "uuidv4", "uuidv7", "nextval"];
const computedNodes = [
  "ColumnRef",
  "FuncCall",
  "SubLink",
  "CaseExpr",
  "A_Expr",
  "SQLValueFunction",
  "CoalesceExpr",
];

function readsClock(value: SqlNode): boolean {
  for (const found of walkTree({ value })) {
    const [key, below] = found ?? [];
    if (key === "SQLValueFunction") return true;
    if (key === "FuncCall" && clockPattern.test(readFunctionName(below as SqlTree))) return true;
  }
  return false;
}

const clockPattern = /^(?:now|(?:clock|statement|transaction)_timestamp)$/;

/**
 * Finds the source of a column's default in the default's text. The text is sufficient, because PostgreSQL prints all
 * defaults in one canonical form and its own functions without a schema.
 */
function findDefaultSource({ byDefault, identity }: TableColumn, allowed: readonly string[]): ValueSource {
  if (identity) return { generator: "", isClocked: false };
  const [, own, sequence, name] = generatedDefaultPattern.exec(byDefault ?? "") ?? [];
  const theirs = name !== undefined && allowed.includes(name) ? "" : undefined;
  return {
    generator: own ?? (sequence === undefined ? theirs : "nextval"),
    isClocked: /\bnow\(|_timestamp\(|\bCURRENT_|\bLOCALTIME/.test(byDefault ?? ""),
  };
}

const generatedDefaultPattern =
  /^(?:(gen_random_uuid|uuidv4|uuidv7)\(\)|(nextval\('[^']*'::regclass\))|(?:\w+\.)?(\w+)\([^()]*\))(?:::[\w ]+)?$/;
