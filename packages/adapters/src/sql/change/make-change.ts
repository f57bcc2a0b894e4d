import type { Json } from "@paraph/core";
import { quoteMarker, requireNotMarker } from "../connection/marker.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { SqlContext } from "../context.ts";
import { type Assignments, findAssignments } from "../statement/assignments.ts";
import { refusedFault, type SqlStatement } from "../statement/statement.ts";
import { toRowsBasis } from "./rows-basis.ts";
import { type RowChanges, runChange } from "./run-change.ts";
import { type SideEffects, trackSideEffects } from "./side-effects.ts";
import { readTable, type Table } from "./table.ts";
import { listUndoColumns, maxUndoneRows } from "./undo.ts";

/** The result of a change. The adapter reads it inside the transaction, before the transaction ends. */
export interface ChangeResult {
  readonly table: Table;
  readonly changed: RowChanges;
  readonly beside: SideEffects;
  readonly basis: Json;
  /** The columns that the adapter keeps for the undo. */
  readonly kept: readonly string[];
}

export interface ChangeOptions {
  readonly parameters: readonly unknown[];
  /** The exact number of rows that must change. The adapter rejects the change if the number differs. */
  readonly rows?: number | undefined;
  readonly sample: number;
  readonly undoable: boolean;
  /**
   * Whether changes of the same table run one at a time. Previews set this option, because two previews of the same
   * rows would wait for each other's locks.
   */
  readonly alone: boolean;
}

/**
 * Makes the change and reads what changed. The caller ends the transaction and so decides whether the change persists.
 */
export async function makeChange(
  sqlContext: SqlContext,
  statement: SqlStatement,
  { parameters, rows, sample, undoable, alone }: ChangeOptions,
  transaction: Transaction,
): Promise<ChangeResult> {
  const table = await readTable(statement, transaction);
  await requireNotMarker(sqlContext.marker, table.oid, transaction);
  if (alone)
    await transaction.query("select pg_advisory_xact_lock(hashtextextended('paraph preview', $1::int8))", [
      table.oid,
    ]);
  const assigned = findAssignments(statement, table, sqlContext.functions);
  requireTraceable(statement, table, assigned, transaction);
  const kept = undoable ? listUndoColumns(statement, table, assigned, sqlContext) : [];
  const wanted = {
    before: listBasisColumns(statement, table, assigned),
    assigned,
    sample,
    keys: maxKeys,
    kept: kept.length > 0 ? maxUndoneRows : 0,
    keptColumns: kept,
    allowed: sqlContext.functions,
  };
  const marker = sqlContext.marker && quoteMarker(sqlContext.marker);
  const [changed, beside] = await trackSideEffects(transaction, table, marker, async () => {
    const found = await runChange(statement, parameters, table, wanted, transaction);
    // Makes PostgreSQL check deferred constraints immediately. Otherwise PostgreSQL would check them only at a commit,
    // and a preview, which rolls back, would miss a violation.
    await transaction.query("set constraints all immediate");
    return found;
  });
  requireRowCount(changed, rows, sqlContext.maxChanged);
  return { table, changed, beside, basis: toRowsBasis(table, changed, beside), kept };
}

const maxKeys = 100;

/**
 * Returns the columns whose old values an update depends on: the key and the assigned columns. Other columns of the row
 * may change between preview and apply.
 */
function listBasisColumns(
  { kind }: SqlStatement,
  { key }: Table,
  { columns }: Assignments,
): readonly string[] | null {
  return kind === "UpdateStmt" && key.length > 0 ? [...new Set([...key, ...columns])] : null;
}

/**
 * Rejects a change of the primary key on versions before PostgreSQL 18. On these versions, the adapter finds a changed
 * row again by its key, so the key must stay the same.
 */
function requireTraceable(
  { kind, tree }: SqlStatement,
  table: Table,
  assigned: Assignments,
  { version }: Transaction,
): void {
  if (version >= 180_000 || (kind === "InsertStmt" && tree.onConflictClause === undefined)) return;
  if (assigned.columns.some((column) => table.key.includes(column)) && kind === "UpdateStmt")
    throw refusedFault(
      "key-changed",
      "Changing a primary key requires PostgreSQL 18. Insert the new row and delete the old one instead.",
    );
}

function requireRowCount({ rows }: RowChanges, expected: number | undefined, max: number): void {
  if (expected !== undefined && rows !== expected) {
    throw refusedFault(
      "rows-differ",
      `The statement would change ${rows} rows instead of exactly ${expected}. Nothing was changed. Review the rows, then correct the statement or the number.`,
    );
  }
  if (rows > max) {
    throw refusedFault(
      "too-many-rows",
      `The statement would change ${rows} rows, and the limit for one call is ${max}. Split the change, or raise \`maxChanged\`.`,
    );
  }
}
