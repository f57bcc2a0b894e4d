import type { Principal } from "@paraph/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { connectDatabase, listCalls, provision } from "../index.ts";
import { captureQueryPlan } from "./test-query-plan.ts";

const tenant = "acme";
const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const ana: Principal = { tenant, id: "ana", kind: "person" };
const bot: Principal = { tenant, id: "bot", kind: "agent" };
const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

/** The newest calls are alike. Those that the filters look for are older. */
beforeAll(async () => {
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(tenant);
    await p.addPrincipal(ana);
    await p.addPrincipal({ tenant, id: "bot", kind: "agent", owner: "ana" });
  });
  const insert = (values: string) =>
    database.query(
      `insert into paraph.call (tenant, id, principal, capability, state, outcome, stuck, next_at, key, version, contract_digest, request_digest, lock_keys, epoch, created_at)
       select '${tenant}', x.*, x.id, 1, '', '', '{}', 1, now() from (${values}) x (id, principal, capability, state, outcome, stuck, next_at)`,
    );
  await insert(
    `values ('a1', 'ana', 'box.put', 'asking', null, null, now()), ('a2', 'bot', 'box.put', 'asking', null, null, now()),
            ('a3', 'bot', 'box.put', 'closed', 'denied', null, null), ('a4', 'bot', 'rare.act', 'closed', 'succeeded', null, null),
            ('a5', 'bot', 'box.put', 'ready', null, 'broken', null), ('a6', 'ana', 'box.put', 'closed', 'succeeded', null, null)`,
  );
  await insert(
    `select 'b' || lpad(n::text, 6, '0'), 'other', 'box.put', 'closed', 'succeeded', null, null::timestamptz from generate_series(1, 12000) n`,
  );
  // A session with one old call of two agents, and a busy session of another agent.
  await database.query(
    `update paraph.call set session = 'old', thread = 'old-thread', correlation = '${trace}' where id in ('a1', 'a4')`,
  );
  await database.query(
    `update paraph.call set session = 'busy', thread = 'busy-thread', correlation = md5(id) where id like 'b%'`,
  );
  await database.query(
    "insert into paraph.payload (tenant, call, name, version, salt, body) values ('acme', 'a4', 'compressedState', 1, '', '\"x\"')",
  );
  await database.query("vacuum analyze paraph.call");
});

describe("a list of calls", () => {
  it.each([
    ["open calls", "call_open", { state: "open" }, ["a5", "a2", "a1"]],
    ["calls with one outcome", "call_of_outcome", { outcome: "denied" }, ["a3"]],
    ["stuck calls", "call_stuck", { stuck: true }, ["a5"]],
    ["calls of a session", "call_of_session", { session: "old" }, ["a4", "a1"]],
    ["calls of a thread", "call_of_thread", { session: "old", thread: "old-thread" }, ["a4", "a1"]],
    ["calls of a trace", "call_of_correlation", { correlation: trace }, ["a4", "a1"]],
    ["calls with a state", "call_of_session", { session: "old", hasState: true }, ["a4"]],
    ["calls of a capability", "call_of_capability", { capability: "rare.act" }, ["a4"]],
  ] as const)("finds old %s without a scan of the newer ones", async (_what, index, filter, calls) => {
    const given = { ...filter, limit: 50 };
    const page = await listCalls(db.app, ana, given);
    expect([page.calls.map(({ call }) => call), page.next]).toEqual([calls, undefined]);
    const plan = await captureQueryPlan(db.app, "select c.", (app) => listCalls(app, ana, given));
    expect(plan).toMatch(new RegExp(`Index Scan( Backward)? using ${index}`));
    expect(plan).not.toMatch(/Seq Scan on call|Sort/);
  });

  it("[TRUST 9] finds the old calls of an agent, and only these", async () => {
    const plan = await captureQueryPlan(db.app, "select c.", (app) => listCalls(app, bot, { limit: 50 }));
    expect(plan).toContain("call_of_principal");
    const { calls } = await listCalls(db.app, bot, { limit: 50 });
    expect(calls.map(({ call }) => call)).toEqual(["a5", "a4", "a3", "a2"]);
    const open = await listCalls(db.app, bot, { state: "open", limit: 50 });
    expect(open.calls.map(({ call }) => call)).toEqual(["a5", "a2"]);
  });

  it("lists the calls that closed last first, whatever the time of their request", async () => {
    await database.query(
      `insert into paraph.outcome (tenant, at, call, capability, principal, kind, code, whole_ms, acting_ms, retries, spent)
       select 'acme', now() - make_interval(secs => x.ago), x.call, 'box.put', c.principal, 'succeeded', 'done', 1, 1, 0, 0
       from (values ('b000007', 3), ('a3', 1), ('b011999', 4), ('a6', 2)) x (call, ago) join paraph.call c on c.id = x.call`,
    );
    const list = async (reader: Principal, filter: object = {}) =>
      (await listCalls(db.app, reader, { order: "closed", limit: 50, ...filter })).calls.map(
        ({ call }) => call,
      );
    expect(await list(ana)).toEqual(["a3", "a6", "b000007", "b011999"]);
    expect(await list(ana, { limit: 2 })).toEqual(["a3", "a6"]);
    expect(await list(ana, { outcome: "succeeded" })).toEqual(["a6", "b000007", "b011999"]);
    expect(await list(bot)).toEqual(["a3"]);
  });

  it("marks calls that have been undone by their index, and none whose undo had no effect", async () => {
    await database.query(
      `insert into paraph.call (tenant, id, principal, capability, state, outcome, next_at, key, version, contract_digest, request_digest, lock_keys, epoch, created_at)
       select 'acme', x.id, 'ana', 'box.back', x.state, x.outcome, x.at, x.id, 1, '', '', '{}', 1, now()
       from (values ('a7', 'closed', 'succeeded', null), ('a8', 'closed', 'denied', null), ('a9', 'asking', null, now())) x (id, state, outcome, at)`,
    );
    await database.query(
      `insert into paraph.undo_claim (tenant, call, by) values ('acme', 'a4', 'a7'), ('acme', 'a6', 'a8'), ('acme', 'a2', 'a9')`,
    );
    await database.query(
      "insert into paraph.undo_claim (tenant, call, by) select 'acme', 'z' || n, 'a8' from generate_series(1, 5000) n",
    );
    await database.query("vacuum analyze paraph.undo_claim");
    const filter = { capability: "box.put", principal: "bot", limit: 50 };
    const marks = async (given: object) =>
      (await listCalls(db.app, ana, { limit: 50, ...given })).calls
        .filter(({ undoneBy }) => undoneBy !== undefined)
        .map(({ call, undoneBy, undoOutcome }) => [call, undoneBy, undoOutcome]);
    expect(await marks({ principal: "bot" })).toEqual([
      ["a4", "a7", "succeeded"],
      ["a2", "a9", undefined],
    ]);
    expect(await marks({ principal: "ana" })).toEqual([]);
    const plan = await captureQueryPlan(db.app, "select c.", (app) => listCalls(app, ana, filter));
    expect(plan).toContain("Index Scan using undo_claim_pkey");
    expect(plan).not.toMatch(/Seq Scan on (call|undo_claim)/);
  });

  it("reads 5,000 calls per page at most, and continues on the next page", async () => {
    const filter = {
      state: "closed",
      resolved: false,
      steps: true,
      capability: "box.put",
      outcome: "succeeded",
      limit: 50,
    } as const;
    const first = await listCalls(db.app, ana, filter);
    expect([first.calls.length, first.next]).toEqual([50, "b011951"]);
    const resolved = { ...filter, resolved: true };
    const pages: (string | undefined)[] = [];
    let before: string | undefined;
    do {
      const page = await listCalls(db.app, ana, { ...resolved, ...(before !== undefined && { before }) });
      expect(page.calls).toEqual([]);
      before = page.next;
      pages.push(before);
    } while (before !== undefined);
    expect(pages).toEqual(["b007001", "b002001", undefined]);
  });
});
