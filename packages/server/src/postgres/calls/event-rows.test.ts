import type { EventKind } from "@paraph/core";
import { createRawEvent } from "@paraph/core/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { withTenant } from "../database.ts";
import { beginProcessLease, connectDatabase, type Database, PostgresStore, provision } from "../index.ts";
import { createTestCall } from "./test-call.ts";

const tenant = "acme";
const database = await createTestDatabase();
const lease = await beginProcessLease(database.url);
let db: Database;
let store: PostgresStore;

beforeAll(async () => {
  db = await connectDatabase(database.url);
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
  });
  await db.app.query("select paraph.configure_webhooks('{hook}')");
  store = new PostgresStore(db.app, lease);
});
afterAll(async () => {
  await lease.end();
  await db.close();
});

/** Opens a call, and writes each further list of events in one transition. */
async function writeEvents(...writes: readonly (readonly EventKind[])[]): Promise<string> {
  const at = Date.now();
  const [opening = [], ...further] = writes.map((kinds, write) =>
    kinds.map((kind, n) => createRawEvent(kind, at + 10 * write + n, { write, n })),
  );
  const { call } = createTestCall(tenant);
  await store.open(createTestCall(tenant, { call, key: call, events: opening }));
  for (const [n, events] of further.entries())
    await store.commit({ tenant, call, epoch: n + 1, state: "ready", nextAt: at + 60_000, events });
  return call;
}

const readRows = async (call: string) =>
  (
    await database.query(
      "select array_agg(kind order by seq) as kinds from paraph.event_row where call = $1",
      [call],
    )
  )[0]?.kinds;

it.each<{ writes: EventKind[][]; rows: EventKind[] }>([
  // A read that is performed where it arrives.
  { writes: [["accepted", "ruled", "attempted", "closed"]], rows: ["closed"] },
  // A write, and a call that a person approves.
  {
    writes: [
      ["accepted", "ruled", "intended"],
      ["attempted", "closed"],
    ],
    rows: ["intended", "closed"],
  },
  {
    writes: [
      ["accepted", "ruled", "asked"],
      ["voted", "round-closed"],
      ["intended"],
      ["attempted", "closed"],
    ],
    rows: ["asked", "voted", "intended", "closed"],
  },
  // Every event has a column of its own.
  { writes: [["accepted", "ruled"], ["ruled"]], rows: ["ruled", "ruled"] },
  // Two events that need `kind`, and two events of a kind that has one column.
  { writes: [["voted", "ruled", "closed"]], rows: ["voted", "closed"] },
  { writes: [["ruled", "ruled", "attempted", "ruled"], ["closed"]], rows: ["ruled", "ruled", "closed"] },
])("a write has one row for $rows, and every event of $writes is read in order", async ({ writes, rows }) => {
  const call = await writeEvents(...writes);
  expect(await readRows(call)).toEqual(rows);
  const events = (await store.load({ tenant, call }))?.events;
  const expected = writes.flatMap((kinds, write) => kinds.map((kind, n) => ({ kind, data: { write, n } })));
  expect(events?.map(({ kind, data, seq }) => ({ kind, data, seq }))).toEqual(
    expected.map((event, n) => ({ ...event, seq: n + 1 })),
  );
  expect(events?.map(({ at }) => at)).toEqual(events?.map(({ at }) => at).toSorted((a, b) => a - b));
  const stored = await database.query(
    "select array_agg(epoch::int order by seq) as epochs from paraph.event where call = $1",
    [call],
  );
  expect(stored[0]?.epochs).toEqual(writes.flatMap((kinds, write) => kinds.map(() => write + 1)));
  // An endpoint is told about the first and about the last event.
  const wanted = "select wanted, delivered from paraph.webhook_delivery where call = $1";
  expect(await database.query(wanted, [call])).toEqual([{ wanted: expected.length, delivered: 0 }]);
});

it("an endpoint that has every event of a call receives only those of the next write", async () => {
  const call = await writeEvents(["accepted", "ruled", "asked"]);
  await db.app.query("select paraph.webhook_delivered($1, 'hook', $2, 3, false)", [tenant, call]);
  const events = (["voted", "round-closed"] as const).map((kind) => createRawEvent(kind, Date.now()));
  await store.commit({ tenant, call, epoch: 1, state: "ready", nextAt: Date.now(), events });
  const { rows } = await db.app.query("select paraph.webhook_events($1, 'hook', $2, 100) as it", [
    tenant,
    call,
  ]);
  expect(rows[0].it.events.map(({ seq, kind }: { seq: number; kind: string }) => [seq, kind])).toEqual([
    [4, "voted"],
    [5, "round-closed"],
  ]);
});

it("[TRUST 10] [TRUST 20] the list of events shows a tenant only its own, and takes no change", async () => {
  await writeEvents(["accepted", "ruled", "closed"]);
  const count = (as: string) =>
    withTenant(db.app, as, (query) => query("select from paraph.event")).then(({ length }) => length);
  expect(await count(tenant)).toBeGreaterThan(2);
  expect(await count("other")).toBe(0);
  for (const change of [
    "insert into paraph.event (tenant, call, seq) values ('acme', 'call', 1)",
    "update paraph.event set kind = 'voted'",
    "delete from paraph.event",
  ])
    await expect(withTenant(db.app, tenant, (query) => query(change))).rejects.toThrow();
});

/** Returns the plan for many calls. Without other scans, PostgreSQL uses each index that it can use. */
async function explain(condition: string): Promise<string> {
  const rows = await withTenant(db.app, tenant, async (query) => {
    await query("set local enable_seqscan = off");
    return query(`explain select * from paraph.event where tenant = 'acme' and ${condition}`);
  });
  return rows.map((row) => Object.values(row as object)[0]).join("\n");
}

it("PostgreSQL reads only the events of the kinds that a query asks for, by their indexes", async () => {
  const closed = await explain("call = 'call_1' and kind = 'closed'");
  expect(closed.match(/Index Scan/g)).toHaveLength(1);
  expect(closed).not.toContain("Append");
  const ruled = await explain("call = 'call_1' and kind = 'ruled'");
  expect(ruled.match(/Index Scan using event_pkey/g)).toHaveLength(2);
  const undoes = await explain("kind = 'accepted' and data ? 'undoes' and data->>'undoes' = 'call_1'");
  expect(undoes).toMatch(/event_undoes[\s\S]*event_row_undoes/);
  expect(undoes).not.toContain("event_pkey");
});
