import { CapabilityError, type Json } from "@paraph/core";
import { refused } from "./statement.ts";
import { quoted } from "./table.ts";
import type { Transaction } from "./transaction.ts";

/** The SQL name of the marker table. */
export function markerName(marker: string): string {
  return marker.split(".").map(quoted).join(".");
}

/**
 * [P7] Puts the call's mark, in the transaction of its change: both stay or neither. A call that left its mark already
 * gets its result back. One that is just being applied elsewhere is waited for.
 */
export async function marked(
  marker: string | undefined,
  key: string,
  transaction: Transaction,
  body: () => Promise<Json>,
): Promise<Json> {
  if (marker === undefined) return body();
  const table = markerName(marker);
  if (!(await isThere(marker, transaction))) throw markerMissing();
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
export async function demandNotMarker(
  marker: string | undefined,
  oid: number,
  transaction: Transaction,
): Promise<void> {
  if (marker === undefined) return;
  const { rows } = await transaction.query("select to_regclass($1) = $2::oid as same", [
    markerName(marker),
    oid,
  ]);
  if (rows[0]?.same === true)
    throw refused("marker-refused", "This table is Paraph's memory of what was applied: no call changes it.");
}

export async function isThere(marker: string, transaction: Transaction): Promise<boolean> {
  const { rows } = await transaction.query("select to_regclass($1) is not null as there", [
    markerName(marker),
  ]);
  return rows[0]?.there === true;
}

export function markerMissing(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "marker-missing",
    "The table that remembers applied calls is not there: make it as docs/adapters/sql.md says, or set `marker: false`.",
  );
}
