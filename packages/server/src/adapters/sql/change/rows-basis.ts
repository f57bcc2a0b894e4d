import { CapabilityError, type Json, sameJson } from "@paraph/core";
import type { RowChanges } from "./run-change.ts";
import type { SideEffects } from "./side-effects.ts";
import type { Table } from "./table.ts";

/** The facts a change of rows rests on: of which table, how many, what they held and would hold, and what goes along with it. */
export function toRowsBasis({ name }: Table, { rows, digest }: RowChanges, beside: SideEffects): Json {
  return { table: name, rows, digest, beside: beside as Json };
}

/** Without a basis there is nothing to compare with, and a change that is compared with nothing is not ours to make. */
export function requireSqlBasis(approved: Json | undefined, found: Json): void {
  if (approved === undefined || approved === null) {
    throw new CapabilityError(
      "permanent",
      "basis-missing",
      "The change came without the basis of its preview: preview it first.",
    );
  }
  if (!sameJson(approved, found)) {
    throw new CapabilityError(
      "permanent",
      "basis-moved",
      "What it would change is not what was previewed, so it was rolled back. Preview the call again. If the values depend on the time or on chance, pass them as parameters.",
    );
  }
}
