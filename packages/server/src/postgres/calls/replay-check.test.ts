import { type EventKind, envelopeText, roles } from "@paraph/core";
import { createTestSigner } from "@paraph/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import {
  beginProcessLease,
  checkReplay,
  connectDatabase,
  findEnvelope,
  PostgresStore,
  provision,
} from "../index.ts";
import { RandomWalk, walkPeople, walkTenant } from "./test-replay-walk.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
afterAll(async () => {
  await lease.end();
  await db.close();
});

beforeAll(async () => {
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(walkTenant);
    for (const id of walkPeople)
      await p.addPrincipal({ tenant: walkTenant, id, kind: "person", groups: [roles.admins] });
    await p.addPrincipal({ tenant: walkTenant, id: "agent", kind: "agent", owner: "owner" });
  });
  // The test moves time by replacing the one function that decides waits.
  await database.query("create table public.moment (at timestamptz not null)");
  await database.query("insert into public.moment values (now())");
  await database.query("grant select on public.moment to public");
  await database.query(
    "create or replace function paraph.now() returns timestamptz language sql volatile as 'select at from public.moment'",
  );
  const walk = new RandomWalk("replay", {
    app: db.app,
    store: new PostgresStore(db.app, lease.number),
    signer: await createTestSigner(),
    setTime: async (at) =>
      void (await database.query("update public.moment set at = to_timestamp($1::bigint / 1000.0)", [at])),
  });
  await walk.run(400);
  await walk.leaveOneOfEach();
});

const checkTenant = (call?: string) =>
  checkReplay(database.url, { tenant: walkTenant, ...(call !== undefined && { call }) });
const queryColumn = async (text: string) => (await database.query(text)).map((row) => Object.values(row)[0]);

it("[replay] the rows of all calls match their events after a random walk", async () => {
  const { calls, events, differences } = await checkTenant();
  expect(differences).toEqual([]);
  expect([calls, events]).toEqual([
    Number((await queryColumn("select count(*) from paraph.call"))[0]),
    Number((await queryColumn("select count(*) from paraph.event"))[0]),
  ]);
  // The replay check is meaningful only for the kinds of events that occur in the database.
  const everything: EventKind[] = [
    ...(["accepted", "ruled", "asked", "voted", "round-closed", "queued", "locked", "intended"] as const),
    ...(["attempted", "delayed", "parked", "withdrawn", "reminded", "escalated", "reassigned"] as const),
    ...(["revealed", "commented", "closed", "resolved"] as const),
  ];
  expect(await queryColumn("select distinct kind from paraph.event")).toEqual(
    expect.arrayContaining(everything),
  );
  const states = ["asking", "ready", "queued", "parked", "delayed", "closed"];
  expect(await queryColumn("select distinct state from paraph.call")).toEqual(expect.arrayContaining(states));
});

describe("[replay] the check reports a row that was changed outside Paraph", () => {
  /**
   * Returns SQL that selects the same row in every run. A vacuum between two tests can change the physical order of
   * rows.
   */
  const first = (table: string, where = "true") =>
    `(select ctid from paraph.${table} as row where ${where} order by row::text limit 1)`;

  /** One change in each kind of row, with the expected difference: the table, and the column if one column changed. */
  const changes: [string, { table: string; column?: string }][] = [
    [
      "update call set state = 'ready' where id = (select min(id) from paraph.call where state = 'asking')",
      { table: "call", column: "state" },
    ],
    [
      "update call set epoch = epoch + 1 where id = (select min(id) from paraph.call where state = 'closed')",
      { table: "call", column: "epoch" },
    ],
    [
      "update call set outcome = 'succeeded' where id = (select min(id) from paraph.call where outcome = 'denied')",
      { table: "call", column: "outcome" },
    ],
    [
      "update call set deadline = deadline + interval '1 microsecond' where id = (select min(id) from paraph.call where deadline is not null)",
      { table: "call", column: "deadline" },
    ],
    [
      "update call set principal = 'bo' where id = (select min(id) from paraph.call)",
      { table: "call", column: "principal" },
    ],
    [
      "update call set key = 'other' where id = (select min(id) from paraph.call)",
      { table: "call", column: "facts" },
    ],
    [
      "update call set lock_keys = '{z}' where id = (select min(id) from paraph.call)",
      { table: "call", column: "facts" },
    ],
    ["delete from call where id = (select min(id) from paraph.call)", { table: "call" }],
    [
      "update event_row set ruled = null where kind = 'asked' and call = (select min(id) from paraph.call where state = 'asking')",
      { table: "event" },
    ],
    [
      "update approval set status = 'approved' where id = (select min(id) from paraph.approval where status = 'denied')",
      { table: "approval", column: "status" },
    ],
    [
      "update approval set guards = '[]' where id = (select min(id) from paraph.approval)",
      { table: "approval", column: "guards" },
    ],
    [`update vote set voter = 'cy' where ctid = ${first("vote")}`, { table: "vote" }],
    [
      `update vote set decision = 'approve' where ctid = ${first("vote", "decision = 'deny'")}`,
      { table: "vote", column: "decision" },
    ],
    [
      `update intent set ended = 'not-performed' where ctid = ${first("intent", "ended = 'succeeded'")}`,
      { table: "intent", column: "ended" },
    ],
    [`delete from intent where ctid = ${first("intent")}`, { table: "intent" }],
    [`update lock set holder = null where ctid = ${first("lock", "holder is not null")}`, { table: "lock" }],
    [
      "update lock_waiter set position = position + 1000 where call = (select min(call) from paraph.lock_waiter)",
      { table: "lock_waiter", column: "position" },
    ],
    [
      `update message set by = 'bo' where ctid = ${first("message", "by <> 'bo'")}`,
      { table: "message", column: "by" },
    ],
    [
      `update resolution set finding = 'happened' where ctid = ${first("resolution", "finding = 'not-happened'")}`,
      { table: "resolution", column: "finding" },
    ],
    [`delete from payload where ctid = ${first("payload", "name = 'input'")}`, { table: "payload" }],
    [
      `update payload set body = '1' where ctid = ${first("payload", "name = 'input'")}`,
      { table: "payload" },
    ],
    [
      `insert into payload select tenant, call, name, 99, salt, '1' from paraph.payload where ctid = ${first("payload", "name = 'input' and call in (select call from paraph.receipt)")}`,
      { table: "payload" },
    ],
    // The application's role can write such an event, but it cannot delete the payload.
    [
      `insert into event_row select tenant, call, seq + 1, 'erased', at, '{"by": "operator", "reason": "r", "payloads": ["input"], "messages": 0}', epoch from paraph.event_row where ctid = ${first("event_row", "kind = 'closed' and seq = (select max(seq) from paraph.event e where e.call = row.call)")}`,
      { table: "payload" },
    ],
    [`delete from receipt where ctid = ${first("receipt")}`, { table: "receipt" }],
    [
      `update receipt set story = replace(story, '"attempts":1', '"attempts":2') where ctid = ${first("receipt", `story like '%"attempts":1%'`)}`,
      { table: "receipt", column: "intact" },
    ],
    [
      `update event_row set attempted.data = (attempted).data || '{"code": "other"}' where ctid = ${first("event_row", "attempted is not null and call in (select call from paraph.receipt)")}`,
      { table: "receipt", column: "intact" },
    ],
    [
      "insert into reservation select tenant, id, 'busy', 'concurrency', created_at, 1 from paraph.call where outcome = 'denied' limit 1",
      { table: "reservation" },
    ],
  ];

  /** Runs the check after a change, then reverts the change. */
  async function checkedAfter(change: string, table: string) {
    await database.query(`create table public.kept as table paraph.${table}`);
    await database.query("set search_path = paraph, public");
    await database.query(change);
    const checked = await checkTenant();
    await database.query(`delete from paraph.${table}`);
    await database.query(`insert into paraph.${table} table public.kept`);
    await database.query("drop table public.kept");
    return checked;
  }

  it.each(changes)("%s", async (change, difference) => {
    const table = /^(?:update|delete from|insert into) (\w+)/.exec(change)![1]!;
    const { differences } = await checkedAfter(change, table);
    expect(differences).toEqual(expect.arrayContaining([expect.objectContaining(difference)]));
    // The check reports no other call.
    expect(new Set(differences.map(({ call }) => call)).size).toBe(1);
  });
});

describe("[replay] a receipt that a version before generation 35 stored whole", () => {
  it("is read as it is, and the check reports a change of it or of its events", async () => {
    const [call] = (await queryColumn("select min(call) from paraph.receipt")) as [string];
    const [kept] = await database.query(
      "select story, key_id, signature from paraph.receipt where call = $1",
      [call],
    );
    const envelope = await findEnvelope(db.app, walkTenant, call);
    const store = (text: string | null, parts: Record<string, unknown>) =>
      database.query(
        "update paraph.receipt set envelope = $2, story = $3, key_id = $4, signature = $5 where call = $1",
        [call, text, parts.story ?? null, parts.key_id ?? null, parts.signature ?? null],
      );
    await store(envelopeText(envelope!), {});
    expect(await findEnvelope(db.app, walkTenant, call)).toEqual(envelope);
    expect((await checkTenant()).differences).toEqual([]);
    await database.query(
      "update paraph.event_row set data = data || '{\"x\": 1}' where call = $1 and kind = 'closed'",
      [call],
    );
    expect((await checkTenant()).differences).toContainEqual(
      expect.objectContaining({ call, table: "receipt", column: "events" }),
    );
    await database.query(
      "update paraph.event_row set data = data - 'x' where call = $1 and kind = 'closed'",
      [call],
    );
    await store(`${envelopeText(envelope!)} `, {});
    expect((await checkTenant()).differences).toContainEqual(
      expect.objectContaining({ call, table: "receipt", column: "intact" }),
    );
    await store(null, kept!);
    expect((await checkTenant()).differences).toEqual([]);
  });
});

describe("[TRUST 20] a call that the owner of the database deleted with all of its rows", () => {
  const tables = ["vote", "approval", "event_row", "payload", "intent", "receipt", "resolution", "message"];

  async function erase(call: string): Promise<void> {
    for (const table of [...tables, "lock_waiter", "reservation"]) {
      const own =
        table === "vote" ? "approval in (select id from paraph.approval where call = $1)" : "call = $1";
      await database.query(`delete from paraph.${table} where ${own}`, [call]);
    }
    await database.query("update paraph.lock set holder = null where holder = $1", [call]);
    await database.query("delete from paraph.call where id = $1", [call]);
  }

  const missing = async () => (await checkTenant()).differences.filter(({ table }) => table === "call");

  it("is reported as missing, because a later call links to it or names it, at any position", async () => {
    const calls = (await queryColumn(
      "select call from paraph.event where kind = 'accepted' order by at, call",
    )) as string[];
    for (const [turn, part] of [0, 0.2, 0.4, 0.6, 0.8].entries()) {
      await erase(calls[Math.floor(calls.length * part)]!);
      const found = await missing();
      expect(found).toHaveLength(turn + 1);
      expect(found.every(({ row }) => /^(?:linked|named) by call_/.test(row))).toBe(true);
    }
  });
});
