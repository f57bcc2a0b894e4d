import {
  type Json,
  listSignedEvents,
  type Outcome,
  ParaphError,
  type ReceiptPredicate,
  type RecordedEvent,
  sameJson,
  sha256Hex,
} from "@paraph/core";
import type { Client } from "pg";
import type { ReplayDifference } from "./replay-check.ts";
import { restoreEnvelope, type StoredReceipt } from "./stored-receipt.ts";

type Story = Pick<ReceiptPredicate, "outcome" | "commitments"> & Partial<ReceiptPredicate>;

/** The receipts of a page of calls: how they differ from the events, and the payloads to which they commit. */
interface CheckedReceipts {
  readonly differences: readonly ReplayDifference[];
  readonly commitments: ReadonlyMap<string, ReceiptPredicate["commitments"]>;
}

/**
 * Compares the receipts of calls with the events that exist now. A closed call has a receipt, and an open call has none.
 * `paraph verify` checks the signatures.
 */
export async function checkReceipts(
  client: Client,
  tenant: string,
  page: readonly {
    readonly call: string;
    readonly events: readonly RecordedEvent[];
    readonly outcome: Outcome | undefined;
  }[],
): Promise<CheckedReceipts> {
  const { rows } = await client.query<{ call: string; receipt: StoredReceipt }>(
    "select r.call, paraph.read_receipt(r) as receipt from paraph.receipt r where r.tenant = $1 and r.call = any ($2)",
    [tenant, page.map(({ call }) => call)],
  );
  const stored = new Map(rows.map(({ call, receipt }) => [call, receipt]));
  const differences = page.flatMap(({ call, events, outcome }) => {
    const receipt = stored.get(call);
    const differ = (told: string, found: string, column?: string) => [
      { call, table: "receipt", row: "", ...(column !== undefined && { column }), told, found },
    ];
    if (!receipt || !outcome)
      return receipt || outcome ? differ(outcome ? "there" : "missing", receipt ? "there" : "missing") : [];
    if (!isIntact(receipt, events)) return differ("true", "false", "intact");
    const story = readStory(receipt);
    if (!sameJson(story.outcome as unknown as Json, outcome as unknown as Json))
      return differ(outcome.kind, story.outcome.kind, "outcome");
    if (
      story.events &&
      !sameJson(story.events as unknown as Json, listSignedEvents(events) as unknown as Json)
    )
      return differ("those of the call", "others", "events");
    return [];
  });
  return {
    differences,
    commitments: new Map([...stored].map(([call, receipt]) => [call, readStory(receipt).commitments])),
  };
}

function isIntact(stored: StoredReceipt, events: readonly RecordedEvent[]): boolean {
  if (stored.envelope !== null) return sha256Hex(stored.envelope) === stored.digest;
  try {
    restoreEnvelope(stored, events);
    return true;
  } catch (error) {
    if (error instanceof ParaphError) return false;
    throw error;
  }
}

/** Returns the content of a receipt, without the events if they are not stored in it. */
function readStory(stored: StoredReceipt): Story {
  if (stored.envelope === null) return JSON.parse(stored.story);
  const { payload } = JSON.parse(stored.envelope);
  return JSON.parse(Buffer.from(payload, "base64").toString()).predicate;
}
