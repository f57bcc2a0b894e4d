import { type Envelope, type NewReceipt, type RecordedEvent, rebuildReceipt } from "@paraph/core";

/**
 * A row of `paraph.receipt` as `paraph.read_receipt` returns it. Versions of Paraph before generation 35 wrote the whole
 * envelope as text.
 */
export type StoredReceipt =
  | (NewReceipt & { readonly envelope: null })
  | { readonly digest: string; readonly envelope: string };

/** Returns the signed receipt of a call from its row and the call's events. */
export function restoreEnvelope(stored: StoredReceipt, events: readonly RecordedEvent[]): Envelope {
  return stored.envelope === null ? rebuildReceipt(stored, events) : JSON.parse(stored.envelope);
}
