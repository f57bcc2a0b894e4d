import { readFile } from "node:fs/promises";
import type { Envelope, RecordedEvent } from "@paraph/core";
import type { Client } from "pg";
import { restoreEnvelope, type StoredReceipt } from "../../packages/server/src/postgres/index.ts";
import type { GateState, LabHistory, LedgerCall, WrittenEvent } from "./history.ts";

/** Reads the remaining state of limits and grants, and how the grants were used. */
export async function readGates(owner: Client): Promise<GateState> {
  const usage = await owner.query("select key, sum(used)::float8 as used from paraph.usage group by key");
  const reservations = await owner.query(
    "select call, key, kind, amount::float8 as amount from paraph.reservation",
  );
  const grants = await owner.query(`
    select g.id, g.bounds, g.count_left as "countLeft", g.amount_left::float8 as "amountLeft", count(i.call)::int as intents, coalesce(sum(i.amount), 0)::float8 as amount
    from paraph.standing_grant g
    left join paraph.intent i on i.tenant = g.tenant and i.standing_grant = g.id and i.ended is distinct from 'not-performed'
    group by g.tenant, g.id`);
  return { usage: usage.rows, reservations: reservations.rows, grants: grants.rows };
}

/**
 * Reads the observations. Returns an empty object if no adapter polls, because no observations can then be compared
 * with the effects.
 */
export async function readObserved(owner: Client): Promise<Pick<LabHistory, "observed">> {
  const { rows: looks } = await owner.query("select from paraph.poll");
  if (looks.length === 0) return {};
  const { rows } = await owner.query(
    "select seq::int as seq, id, subject from paraph.observation where adapter = 'ear' order by seq",
  );
  return { observed: rows };
}

/**
 * Reads events with their transactions, in the order in which the transactions first wrote. A transaction writes
 * nothing before it passes its gate.
 */
export async function readWrittenEvents(owner: Client): Promise<WrittenEvent[]> {
  const { rows } = await owner.query(
    `select r.call, e.seq, e.kind, r.xmin::text::float8 as xid
     from paraph.event_row r
     cross join lateral (values (r.seq, r.kind), ((r.accepted).seq, 'accepted'), ((r.attempted).seq, 'attempted')) e (seq, kind)
     where e.seq is not null and e.kind in ('accepted', 'intended', 'attempted', 'closed') order by 1, 2`,
  );
  return rows;
}

/** Reads a file with one JSON record per line. */
export async function readRecords<T>(file: string): Promise<T[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line));
}

/** Returns a receipt that does not verify if the events are not those that it signs, so that the judge reports it. */
export function readEnvelope(receipt: StoredReceipt, events: readonly RecordedEvent[]): Envelope {
  try {
    return restoreEnvelope(receipt, events);
  } catch {
    return { payloadType: "altered", payload: "", signatures: [] };
  }
}

/** Converts the result of `paraph.load` into a call in the form that core uses. */
export function toLedgerCall(
  raw: Record<string, never>,
  receipts: readonly StoredReceipt[] | null,
  findings: readonly string[] | null,
): LedgerCall {
  const { outcome, outcomeCode, payloads, ...rest } = raw as unknown as Record<string, unknown> & {
    payloads: { name: string; salt: string; body: string }[];
  };
  return {
    // Omits absent values, as the store does.
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
    outcome: outcome ? { kind: outcome, code: outcomeCode } : undefined,
    payloads: Object.fromEntries(
      payloads.map(({ name, salt, body }) => [name, { salt, value: JSON.parse(body) }]),
    ),
    receipts: (receipts ?? []).map((receipt) => readEnvelope(receipt, rest.events as RecordedEvent[])),
    findings: (findings ?? []).map((text) => JSON.parse(text) as Envelope),
  } as unknown as LedgerCall;
}
