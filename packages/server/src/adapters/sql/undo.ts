import type { Assigned } from "./assigned.ts";
import type { Beside } from "./beside.ts";
import type { Changed } from "./changed.ts";
import { isSensitive } from "./sensitive.ts";
import type { Setting } from "./setting.ts";
import { longestStatement, type Statement } from "./statement.ts";
import type { Table } from "./table.ts";

/** The way back as the input of another change: a statement that only fits rows which are still as they were left. */
export interface Back {
  readonly sql: string;
  readonly parameters: readonly string[];
  readonly rows: number;
}

/** More rows than this are a matter for a backup, not for a receipt. */
export const mostUndone = 100;

/** The columns that the way back needs; none where there is no honest one. */
export function columnsForUndo(
  { kind, tree }: Statement,
  table: Table,
  assigned: Assigned,
  { sensitive }: Pick<Setting, "sensitive">,
): readonly string[] {
  const writable = table.columns.filter(({ generated }) => !generated).map(({ name }) => name);
  const moves = assigned.columns.some((column) => table.key.includes(column));
  const wanted = {
    UpdateStmt: moves ? [] : [...table.key, ...assigned.columns],
    InsertStmt: tree.onConflictClause === undefined ? writable : [],
    DeleteStmt: writable,
  }[kind];
  // What is masked in previews must not come back as plain parameters.
  const leaks = wanted?.some((column) => isSensitive(sensitive, table, column));
  return table.key.length === 0 || leaks || !wanted ? [] : wanted;
}

export function wayBack(
  { kind }: Statement,
  table: Table,
  columns: readonly string[],
  { rows, before, after }: Changed,
  beside: Beside,
): Back | undefined {
  // What triggers and foreign keys did along with it, no statement of ours takes back.
  if (columns.length === 0 || rows === 0 || rows > mostUndone || Object.keys(beside).length > 0)
    return undefined;
  if (before === null || after === null) return undefined;
  const back = statements[kind]!(table, columns, before, after);
  return back.sql.length > longestStatement ? undefined : { ...back, rows };
}

type Write = (table: Table, columns: readonly string[], before: string, after: string) => Omit<Back, "rows">;

/** Rows travel as JSON and get the table's own types back. */
const rowsOf = ({ sql }: Table, parameter: string) =>
  `jsonb_populate_recordset(null::${sql}, ${parameter}::jsonb)`;

const statements: Readonly<Record<string, Write>> = {
  UpdateStmt: (table, columns, before, after) => {
    const set = named(
      table,
      columns.filter((column) => !table.key.includes(column)),
    );
    return {
      sql: `update ${table.sql} as t set ${set.map((column) => `${column} = b.${column}`).join(", ")}
from ${rowsOf(table, "$1")} as b, ${rowsOf(table, "$2")} as a
where ${sameKey(table, "t", "b")} and ${sameKey(table, "a", "b")} and ${asLeft(set)}`,
      parameters: [before, after],
    };
  },
  DeleteStmt: (table, columns, before) => {
    const all = named(table, columns).join(", ");
    return {
      sql: `insert into ${table.sql} (${all}) overriding system value\nselect ${all} from ${rowsOf(table, "$1")}`,
      parameters: [before],
    };
  },
  InsertStmt: (table, columns, _before, after) => ({
    sql: `delete from ${table.sql} as t using ${rowsOf(table, "$1")} as a
where ${sameKey(table, "t", "a")} and ${asLeft(named(table, columns))}`,
    parameters: [after],
  }),
};

function named({ columns }: Table, wanted: readonly string[]): string[] {
  return columns.filter(({ name }) => wanted.includes(name)).map(({ sql }) => sql);
}

function sameKey(table: Table, one: string, other: string): string {
  return named(table, table.key)
    .map((column) => `${one}.${column} = ${other}.${column}`)
    .join(" and ");
}

/** As JSON, since not every type can be compared. */
function asLeft(columns: readonly string[]): string {
  return columns
    .map((column) => `to_jsonb(t.${column}) is not distinct from to_jsonb(a.${column})`)
    .join(" and ");
}
