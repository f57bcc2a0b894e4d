import { CapabilityError, type Json } from "@paraph/core";
import { quoteIdentifier } from "../change/table.ts";
import { refusedFault } from "../statement/statement.ts";
import type { Transaction } from "./transaction.ts";

/** The SQL name of the marker table. */
export function quoteMarker(marker: string): string {
  return marker.split(".").map(quoteIdentifier).join(".");
}

/**
 * [P7] Puts the call's mark, in the transaction of its change: both stay or neither. A call that left its mark already
 * gets its result back. One that is just being applied elsewhere is waited for.
 */
export async function applyOnce(
  marker: string | undefined,
  key: string,
  transaction: Transaction,
  body: () => Promise<Json>,
): Promise<Json> {
  if (marker === undefined) return body();
  const table = quoteMarker(marker);
  if (!(await hasMarkerTable(marker, transaction))) throw markerMissingFault();
  const put = await transaction.query(
    `insert into ${table} (call_id) values ($1) on conflict (call_id) do nothing returning call_id`,
    [key],
  );
  if (put.rows.length === 0) {
    const { rows } = await transaction.query(`select result from ${table} where call_id = $1`, [key]);
    return rows[0]!.result as Json;
  }
  const result = await body();
  await transaction.query(`update ${table} set result = $2::jsonb where call_id = $1`, [
    key,
    JSON.stringify(result),
  ]);
  return result;
}

/** Whoever could remove a mark could have a call applied twice. */
export async function requireNotMarker(
  marker: string | undefined,
  oid: number,
  transaction: Transaction,
): Promise<void> {
  if (marker === undefined) return;
  const { rows } = await transaction.query("select to_regclass($1) = $2::oid as same", [
    quoteMarker(marker),
    oid,
  ]);
  if (rows[0]?.same === true)
    throw refusedFault(
      "marker-refused",
      "This table is Paraph's memory of what was applied: no call changes it.",
    );
}

export async function hasMarkerTable(marker: string, transaction: Transaction): Promise<boolean> {
  const { rows } = await transaction.query("select to_regclass($1) is not null as there", [
    quoteMarker(marker),
  ]);
  return rows[0]?.there === true;
}

export function markerMissingFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "marker-missing",
    "The table that remembers applied calls is not there: make it as docs/adapters/sql.md says, or set `marker: false`.",
  );
}
