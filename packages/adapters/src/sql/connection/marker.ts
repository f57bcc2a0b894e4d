import { CapabilityError, type Json } from "@paraph/core";
import { quoteIdentifier } from "../change/table.ts";
import { refusedFault } from "../statement/statement.ts";
import type { Transaction } from "./transaction.ts";

/** Returns the quoted SQL name of the marker table. */
export function quoteMarker(marker: string): string {
  return marker.split(".").map(quoteIdentifier).join(".");
}

/**
 * [P7] Records the call in the marker table in the same transaction as its change, so both persist or neither does. If
 * the call is already recorded, the function returns the recorded result. If another transaction is applying the call,
 * the function waits until that transaction ends.
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

/** Rejects a change of the marker table, because a removed mark would let Paraph apply a call twice. */
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
      "Paraph records applied calls in this table. Calls cannot change it.",
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
    "The marker table, which records applied calls, does not exist. Create it as docs/adapters/sql.md describes, or set `marker: false`.",
  );
}
