import { CapabilityError, type Json, sameJson } from "@paraph/core";
import type { RowChanges } from "./run-change.ts";
import type { SideEffects } from "./side-effects.ts";
import type { Table } from "./table.ts";

/**
 * Returns the basis of a change of rows: the table, the row count, the digest of old and new values, and the side
 * effects.
 */
export function toRowsBasis({ name }: Table, { rows, digest }: RowChanges, beside: SideEffects): Json {
  return { table: name, rows, digest, beside: beside as Json };
}

/**
 * Rejects a change if the approved basis is missing or differs from the basis that Paraph finds now. Paraph applies
 * only a change that it can compare with its preview.
 */
export function requireSqlBasis(approved: Json | undefined, found: Json): void {
  if (approved === undefined || approved === null) {
    throw new CapabilityError("permanent", "basis-missing", "The call has no basis. Preview it first.");
  }
  if (!sameJson(approved, found)) {
    throw new CapabilityError(
      "permanent",
      "basis-changed",
      "The change differs from its preview, so Paraph rolled it back. Preview the call again. If the values are random or depend on the time, pass them as parameters.",
    );
  }
}
