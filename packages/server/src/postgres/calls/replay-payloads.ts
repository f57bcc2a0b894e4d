import { type PayloadName, payloadNames, type RecordedEvent } from "@paraph/core";
import type { Client } from "pg";
import type { ReplayDifference } from "./replay-check.ts";

/** The payloads of one call: the commitments to their stored bodies, and those in the call's receipt. */
interface StoredPayloads {
  readonly call: string;
  /** Oldest version first. */
  readonly stored: readonly Committed[];
  readonly receipt: Readonly<Partial<Record<PayloadName, string>>> | null;
}

interface Committed {
  readonly name: PayloadName;
  readonly commitment: string;
}

/**
 * Compares payloads with the commitments in events and receipts. A payload must be stored unless an `erased` event
 * names it. An erased payload must be gone, so an `erased` event alone hides nothing.
 */
export async function findPayloadGaps(
  client: Client,
  tenant: string,
  page: readonly { readonly call: string; readonly events: readonly RecordedEvent[] }[],
): Promise<ReplayDifference[]> {
  const { rows } = await client.query<StoredPayloads>(
    `select c.call,
            (select coalesce(json_agg(json_build_object('name', y.name, 'commitment', paraph.text_digest(y.salt || ':' || y.body)) order by y.version), '[]')
             from paraph.payload y where y.tenant = $1 and y.call = c.call) as stored,
            (select convert_from(decode(r.envelope::jsonb->>'payload', 'base64'), 'UTF8')::jsonb->'predicate'->'commitments'
             from paraph.receipt r where r.tenant = $1 and r.call = c.call) as receipt
     from unnest($2::text[]) as c (call)`,
    [tenant, page.map(({ call }) => call)],
  );
  const stored = new Map(rows.map((row) => [row.call, row]));
  return page.flatMap(({ call, events }) => comparePayloads(stored.get(call)!, events));
}

function comparePayloads(
  { call, stored, receipt }: StoredPayloads,
  events: readonly RecordedEvent[],
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
