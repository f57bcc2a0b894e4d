import type { Json } from "@paraph/core";
import { type Assigned, assignedBy } from "./assigned.ts";
import { rowsBasis } from "./basis.ts";
import { type Beside, watching } from "./beside.ts";
import { type Changed, changedBy } from "./changed.ts";
import { demandNotMarker, markerName } from "./marker.ts";
import type { Setting } from "./setting.ts";
import { refused, type Statement } from "./statement.ts";
import { type Table, tableOf } from "./table.ts";
import type { Transaction } from "./transaction.ts";
import { columnsForUndo, mostUndone } from "./undo.ts";

/** What a change did, seen from inside its transaction before that ends. */
export interface Look {
  readonly table: Table;
  readonly changed: Changed;
  readonly beside: Beside;
  readonly basis: Json;
  /** Columns kept for the way back. */
  readonly kept: readonly string[];
}

export interface LookOptions {
  readonly parameters: readonly unknown[];
  /** Refused unless exactly so many rows change. */
  readonly rows?: number | undefined;
  readonly sample: number;
  readonly undoable: boolean;
  /** One such look at a table at a time: two that meet on the same rows would wait for each other's locks. */
  readonly alone: boolean;
}

/** Makes the change and looks at it. Whether it stays is decided by whoever ends the transaction. */
export async function changeAndLook(
  setting: Setting,
  statement: Statement,
  { parameters, rows, sample, undoable, alone }: LookOptions,
  transaction: Transaction,
): Promise<Look> {
  const table = await tableOf(statement, transaction);
  await demandNotMarker(setting.marker, table.oid, transaction);
  if (alone)
    await transaction.query("select pg_advisory_xact_lock(hashtextextended('paraph preview', $1::int8))", [
      table.oid,
    ]);
  const assigned = assignedBy(statement, table, setting.functions);
  demandTellable(statement, table, assigned, transaction);
  const kept = undoable ? columnsForUndo(statement, table, assigned, setting) : [];
  const wanted = {
    before: restsOn(statement, table, assigned),
    assigned,
    sample,
    keys: mostKeys,
    kept: kept.length > 0 ? mostUndone : 0,
    keptColumns: kept,
    allowed: setting.functions,
  };
  const marker = setting.marker && markerName(setting.marker);
  const [changed, beside] = await watching(transaction, table, marker, async () => {
    const found = await changedBy(statement, parameters, table, wanted, transaction);
    // What is only checked at the end of a transaction would not be seen by one that is rolled back.
    await transaction.query("set constraints all immediate");
    return found;
  });
  demandCount(changed, rows, setting.maxChanged);
  return { table, changed, beside, basis: rowsBasis(table, changed, beside), kept };
}

const mostKeys = 100;

/** Of what is updated: the key and the old values of what is written. What else is in the row may change meanwhile. */
function restsOn({ kind }: Statement, { key }: Table, { columns }: Assigned): readonly string[] | null {
  return kind === "UpdateStmt" && key.length > 0 ? [...new Set([...key, ...columns])] : null;
}

/** Before PostgreSQL 18 a row is found again by its key, so the key must stay. */
function demandTellable(
  { kind, tree }: Statement,
  table: Table,
  assigned: Assigned,
  { version }: Transaction,
): void {
  if (version >= 180_000 || (kind === "InsertStmt" && tree.onConflictClause === undefined)) return;
  if (assigned.columns.some((column) => table.key.includes(column)) && kind === "UpdateStmt")
    throw refused(
      "key-changed",
      "Before PostgreSQL 18 a primary key is not changed here: insert the new row, delete the old.",
    );
}

function demandCount({ rows }: Changed, expected: number | undefined, most: number): void {
  if (expected !== undefined && rows !== expected) {
    throw refused(
      "rows-differ",
      `This would change ${rows} rows, and exactly ${expected} were to be: look at them again. Nothing was done.`,
    );
  }
  if (rows > most) {
    throw refused(
      "too-many-rows",
      `This would change ${rows} rows, and one call may change ${most}: do it in parts, or raise \`maxChanged\`.`,
    );
  }
}
