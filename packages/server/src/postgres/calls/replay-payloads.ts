import { type PayloadName, payloadNames, type ReceiptPredicate, type RecordedEvent } from "@paraph/core";
import type { Client } from "pg";
import type { ReplayDifference } from "./replay-check.ts";

/** The commitments to the stored payloads of one call, oldest version first. */
interface StoredPayloads {
  readonly call: string;
  readonly stored: readonly Committed[];
}

interface Committed {
  readonly name: PayloadName;
  readonly commitment: string;
}

/**
 * Compares payloads with the commitments in events and receipts. A payload must be stored unless an `erased` event
 * names it. An erased payload must be gone, so an `erased` event alone hides nothing. `receipts` has the commitments in
 * the receipt of each closed call.
 */
export async function findPayloadGaps(
  client: Client,
  tenant: string,
  page: readonly { readonly call: string; readonly events: readonly RecordedEvent[] }[],
  receipts: ReadonlyMap<string, ReceiptPredicate["commitments"]>,
): Promise<ReplayDifference[]> {
  const { rows } = await client.query<StoredPayloads>(
    `select c.call,
            (select coalesce(json_agg(json_build_object('name', y.name, 'commitment', paraph.text_digest(y.salt || ':' || y.body)) order by y.version), '[]')
             from paraph.payload y where y.tenant = $1 and y.call = c.call) as stored
     from unnest($2::text[]) as c (call)`,
    [tenant, page.map(({ call }) => call)],
  );
  const stored = new Map(rows.map((row) => [row.call, row.stored]));
  return page.flatMap(({ call, events }) =>
    comparePayloads(call, stored.get(call)!, events, receipts.get(call)),
  );
}

function comparePayloads(
  call: string,
  stored: readonly Committed[],
  events: readonly RecordedEvent[],
  receipt: ReceiptPredicate["commitments"] | undefined,
): ReplayDifference[] {
  const committed = [...events.flatMap(listCommitments), ...toCommitted(receipt ?? {})];
  const erased = new Set(
    events.filter(({ kind }) => kind === "erased").flatMap(({ data }) => data.payloads as PayloadName[]),
  );
  const isStored = (one: Committed) => stored.some((other) => isSame(one, other));
  const isCommitted = (one: Committed) => committed.some((other) => isSame(one, other));
  return payloadNames.flatMap((name) => {
    const difference = (told: string, found: string) => [{ call, table: "payload", row: name, told, found }];
    const last = stored.findLast((one) => one.name === name);
    if (erased.has(name)) return last ? difference("erased", "there") : [];
    if (committed.some((one) => one.name === name && !isStored(one)))
      return difference("there", last ? "changed" : "missing");
    // Readers see the newest version. Once the call is closed, its receipt or resolution commits to it.
    return last && receipt && !isCommitted(last) ? difference("missing", "there") : [];
  });
}

/** Lists the commitments in an event. The explanation of a resolution has its own name as a payload. */
function listCommitments({ kind, data }: RecordedEvent): Committed[] {
  if (kind === "erased") return [];
  if (kind === "resolved") return toCommitted({ resolution: data.reason });
  return toCommitted(data);
}

function toCommitted(data: Readonly<Partial<Record<PayloadName, unknown>>>): Committed[] {
  return payloadNames.flatMap((name) => {
    const commitment = data[name];
    return typeof commitment === "string" && /^[0-9a-f]{64}$/.test(commitment) ? [{ name, commitment }] : [];
  });
}

function isSame(one: Committed, other: Committed): boolean {
  return one.name === other.name && one.commitment === other.commitment;
}
