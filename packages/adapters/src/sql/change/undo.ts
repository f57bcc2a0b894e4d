import type { SqlContext } from "../context.ts";
import type { Assignments } from "../statement/assignments.ts";
import { maxStatementLength, type SqlStatement } from "../statement/statement.ts";
import type { RowChanges } from "./run-change.ts";
import { isSensitiveColumn } from "./sensitive.ts";
import type { SideEffects } from "./side-effects.ts";
import type { Table } from "./table.ts";

/**
 * The undo of a change, as the input of another change. Its statement matches only rows that have not changed since the
 * original change.
 */
export interface UndoChange {
  readonly sql: string;
  readonly parameters: readonly string[];
  readonly rows: number;
}

/**
 * The maximum number of rows that an undo reverts. The limit keeps receipts small, because a receipt contains these
 * rows. Reverting a larger change needs a backup.
 */
export const maxUndoneRows = 100;

/** Returns the columns that an undo needs, or an empty list if an exact undo is impossible. */
export function listUndoColumns(
  { kind, tree }: SqlStatement,
  table: Table,
  assigned: Assignments,
  { sensitive }: Pick<SqlContext, "sensitive">,
): readonly string[] {
  const writable = table.columns.filter(({ generated }) => !generated).map(({ name }) => name);
  const moves = assigned.columns.some((column) => table.key.includes(column));
  const wanted = {
    UpdateStmt: moves ? [] : [...table.key, ...assigned.columns],
    InsertStmt: tree.onConflictClause === undefined ? writable : [],
    DeleteStmt: writable,
  }[kind];
  // A value that previews mask must not appear as a plain parameter of the undo.
  const leaks = wanted?.some((column) => isSensitiveColumn(sensitive, table, column));
  return table.key.length === 0 || leaks || !wanted ? [] : wanted;
}

export function toUndoChange(
  { kind }: SqlStatement,
  table: Table,
  columns: readonly string[],
  { rows, before, after }: RowChanges,
  beside: SideEffects,
): UndoChange | undefined {
  // A change with side effects has no undo, because the undo statement cannot revert the effects of triggers and
  // foreign keys.
  if (columns.length === 0 || rows === 0 || rows > maxUndoneRows || Object.keys(beside).length > 0)
    return undefined;
  if (before === null || after === null) return undefined;
  const back = undoWriters[kind]!(table, columns, before, after);
  return back.sql.length > maxStatementLength ? undefined : { ...back, rows };
}

type UndoWriter = (
  table: Table,
  columns: readonly string[],
  before: string,
  after: string,
) => Omit<UndoChange, "rows">;

/** Returns SQL that turns JSON back into rows with the table's own types. */
const toRowsSql = ({ sql }: Table, parameter: string) =>
  `jsonb_populate_recordset(null::${sql}, ${parameter}::jsonb)`;

const undoWriters: Readonly<Record<string, UndoWriter>> = {
  UpdateStmt: (table, columns, before, after) => {
    const set = listColumnSql(
      table,
      columns.filter((column) => !table.key.includes(column)),
    );
    return {
      sql: `update ${table.sql} as t set ${set.map((column) => `${column} = b.${column}`).join(", ")}
from ${toRowsSql(table, "$1")} as b, ${toRowsSql(table, "$2")} as a
where ${toSameKeySql(table, "t", "b")} and ${toSameKeySql(table, "a", "b")} and ${toUnchangedSql(set)}`,
      parameters: [before, after],
    };
  },
  DeleteStmt: (table, columns, before) => {
    const all = listColumnSql(table, columns).join(", ");
    return {
      sql: `insert into ${table.sql} (${all}) overriding system value\nselect ${all} from ${toRowsSql(table, "$1")}`,
      parameters: [before],
    };
  },
  InsertStmt: (table, columns, _before, after) => ({
    sql: `delete from ${table.sql} as t using ${toRowsSql(table, "$1")} as a
where ${toSameKeySql(table, "t", "a")} and ${toUnchangedSql(listColumnSql(table, columns))}`,
    parameters: [after],
  }),
};

function listColumnSql({ columns }: Table, wanted: readonly string[]): string[] {
  return columns.filter(({ name }) => wanted.includes(name)).map(({ sql }) => sql);
}

function toSameKeySql(table: Table, one: string, other: string): string {
  return listColumnSql(table, table.key)
    .map((column) => `${one}.${column} = ${other}.${column}`)
    .join(" and ");
}

/**
 * Returns the condition that no column has changed since the original change. It compares the values as JSON, because
 * some types have no equality operator.
 */
function toUnchangedSql(columns: readonly string[]): string {
  return columns
    .map((column) => `to_jsonb(t.${column}) is not distinct from to_jsonb(a.${column})`)
    .join(" and ");
}
