import type { Call, Principal } from "@paraph/core";
import { afterAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { listCalls } from "../calls/list-calls.ts";
import { connectDatabase, listInbox, provision, summarizePastCalls } from "../index.ts";
import { listApprovals } from "./approval-queries.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

const tenant = "acme";
const toPerson = (id: string, home = tenant): Principal => ({ tenant: home, id, kind: "person" });
for (const home of [tenant, "solo"]) {
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(home);
    await p.addPrincipal(toPerson("ana", home));
    await p.addPrincipal({ tenant: home, id: "bot", kind: "agent", owner: "ana" });
  });
}
await provision(database.ownerUrl, (p) => p.addPrincipal(toPerson("bo")));

/** Inserts a call of the bot with a round, which is open if the call has no outcome. */
async function insertCall(
  id: string,
  more: { home?: string; minutes?: number; outcome?: string; capability?: string } = {},
) {
  const { home = tenant, minutes = 60, outcome = null, capability = "a.b" } = more;
  await database.query(
    `insert into paraph.call (tenant, id, principal, key, capability, version, contract_digest, request_digest, lock_keys,
                              state, epoch, next_at, outcome, outcome_code, created_at, closed_at)
     values ($1, 'call_' || $2, 'bot', $2, $3, 1, '', '', '{}', case when $4::text is null then 'asking' else 'closed' end, 1,
             case when $4::text is null then now() end, $4, $4, now(), case when $4::text is not null then now() end)`,
    [home, id, capability, outcome],
  );
  await database.query(
    `insert into paraph.approval (tenant, id, call, round, digest, status, guards, expires_at)
     values ($1, 'ask_' || $2, 'call_' || $2, 1, '', $3, '[{"id": "g", "quorum": 2}]', date_trunc('milliseconds', now()) + make_interval(mins => $4))`,
    [home, id, outcome === null ? "open" : "approved", minutes],
  );
}

await insertCall("1", { minutes: 90 });
await insertCall("2", { minutes: 30 });
await insertCall("3", { minutes: 60 });
await insertCall("4", { minutes: -1 });
await insertCall("5", { outcome: "denied" });
await insertCall("6", { outcome: "succeeded" });
await insertCall("7", { outcome: "succeeded" });
await insertCall("8", { outcome: "failed", capability: "a.other" });
await insertCall("9", { home: "solo" });
await database.query(
  "insert into paraph.vote (tenant, approval, voter, decision, standing, at) values ('acme', 'ask_3', 'bo', 'approve', 'approver', now())",
);

it("the inbox lists open and unexpired approvals in pages, the soonest to expire first", async () => {
  const { rows } = await listInbox(db.app, toPerson("bo"), { limit: 10, singles: 5, items: 5 });
  expect(rows.map(({ approval }) => approval)).toEqual(["ask_2", "ask_3", "ask_1"]);
  expect(rows[1]).toEqual({
    approval: "ask_3",
    capability: "a.b",
    question: {
      guards: [{ id: "g", quorum: 2 }],
      asker: { id: "bot", owner: "ana" },
      editors: [],
      escalatedTo: [],
      reassignments: [],
      represented: [],
    },
    votes: 1,
    voted: true,
    ownCall: false,
    expiresAt: expect.any(Number),
  });
  const { rows: one, next } = await listInbox(db.app, toPerson("bo"), { limit: 1, singles: 5, items: 5 });
  const { rows: rest } = await listInbox(db.app, toPerson("bo"), {
    limit: 10,
    singles: 5,
    items: 5,
    after: next!,
  });
  expect([...one, ...rest]).toEqual(rows);
});

it("[TRUST 19] a flood of approvals is one entry with their count", async () => {
  const { rows } = await listInbox(db.app, toPerson("bo"), { limit: 10, singles: 2, items: 5 });
  const [bundle, ...others] = rows;
  expect([bundle?.approval, bundle?.flood?.count, others]).toEqual(["ask_2", 3, []]);
  expect(bundle?.flood?.items.map(({ approval, voted }) => [approval, voted])).toEqual([
    ["ask_2", false],
    ["ask_3", true],
    ["ask_1", false],
  ]);
  const some = await listInbox(db.app, toPerson("bo"), { limit: 1, singles: 2, items: 2 });
  expect(some.rows[0]?.flood).toMatchObject({
    count: 3,
    items: [{ approval: "ask_2" }, { approval: "ask_3" }],
  });
  expect(some.next).toEqual({ approval: "ask_2", expiresAt: some.rows[0]?.expiresAt });
});

it("[TRUST 12] the inbox marks approvals of an owner's agents, unless no other person can decide", async () => {
  const { rows } = await listInbox(db.app, toPerson("ana"), { limit: 10, singles: 5, items: 5 });
  expect(rows.map(({ ownCall }) => ownCall)).toEqual([true, true, true]);
  const { rows: alone } = await listInbox(db.app, toPerson("ana", "solo"), {
    limit: 10,
    singles: 5,
    items: 5,
  });
  expect(alone.map(({ approval, ownCall }) => [approval, ownCall])).toEqual([["ask_9", false]]);
});

it("[TRUST 33] the inbox leaves out a reassignment while its author is frozen", async () => {
  await database.query(
    `insert into paraph.event_row (tenant, call, seq, kind, at, data)
     values ('acme', 'call_1', 1, 'reassigned', now(), '{"round":1,"by":"bo","to":"ana"}'),
            ('acme', 'call_1', 2, 'reassigned', now(), '{"round":1,"by":"ana","to":"cy","inPlaceOf":["bo"]}')`,
  );
  const listReassignments = async () => {
    const { rows } = await listInbox(db.app, toPerson("ana"), { limit: 10, singles: 5, items: 5 });
    return rows.flatMap(({ question }) => question.reassignments.map(({ to }) => to));
  };
  expect(await listReassignments()).toEqual(["ana", "cy"]);
  await database.query(
    "insert into paraph.freeze (tenant, id, kind, subject, by, at) values ('acme', 'freeze_1', 'principal', 'bo', 'ana', now())",
  );
  expect(await listReassignments()).toEqual([]);
  await database.query("update paraph.freeze set thawed_at = now()");
});

it("the summary of a principal's past calls of a capability has their outcomes and the last denial", async () => {
  const about = (id: string, capability = "a.b") =>
    ({ tenant, call: id, capability, principal: { tenant, id: "bot", kind: "agent" } }) as Call;
  expect(await summarizePastCalls(db.app, about("call_9"))).toEqual({
    outcomes: { denied: 1, succeeded: 2 },
    lastDeniedAt: expect.any(Number),
  });
  expect(await summarizePastCalls(db.app, about("call_6"))).toEqual({
    outcomes: { denied: 1 },
    lastDeniedAt: expect.any(Number),
  });
  expect(await summarizePastCalls(db.app, about("call_9", "a.never"))).toEqual({ outcomes: {} });
});

it("[P13] the inbox lists a plan once, with the number of its steps per risk", async () => {
  await insertCall("plan", { home: "solo", capability: "plan.apply", minutes: 5 });
  await database.query(
    `insert into paraph.event_row (tenant, call, seq, kind, at, data)
     values ('solo', 'call_plan', 1, 'asked', now(), '{"round":1,"steps":{"low":16,"critical":1}}')`,
  );
  const { rows } = await listInbox(db.app, toPerson("ana", "solo"), { limit: 10, singles: 5, items: 5 });
  expect(rows.map(({ approval, steps }) => [approval, steps])).toEqual([
    ["ask_plan", { low: 16, critical: 1 }],
    ["ask_9", undefined],
  ]);
});

describe("a headline", () => {
  const asked = (data: object, at = "now()", call = "call_1") =>
    database.query(
      `insert into paraph.event_row (tenant, call, seq, kind, at, data, epoch)
       values ($1, $3, 1 + (select count(*) from paraph.event where tenant = $1 and call = $3), 'asked', ${at}, $2, 1)`,
      [tenant, data, call],
    );
  const listHeadlines = async () => {
    const page = { limit: 10, singles: 5, items: 5 };
    const inbox = await listInbox(db.app, toPerson("bo"), page);
    const rounds = await listApprovals(db.app, toPerson("bo"), { ...page, status: "open" });
    const calls = await listCalls(db.app, { ...toPerson("bo"), id: "bot" }, { limit: 10 });
    return [
      inbox.rows.find(({ approval }) => approval === "ask_1")?.headline,
      rounds.approvals.find(({ approval }) => approval === "ask_1")?.headline,
      calls.calls.find(({ call }) => call === "call_1")?.headline,
    ];
  };
  const refuse = async (more: object = {}) => {
    const outcome = { kind: "refused", code: "approval-mismatch" };
    const transition = {
      call: "call_1",
      epoch: 1,
      state: "closed",
      outcome,
      events: [],
      payloads: [],
      ...more,
    };
    const [row] = await database.query("select paraph.commit($1, 1, $2, now(), null) as it", [
      tenant,
      transition,
    ]);
    return row?.it;
  };

  it("is listed with its call, unless the call is a step or the last round does not cover it", async () => {
    await database.query(
      `insert into paraph.payload (tenant, call, name, version, salt, body) values ($1, 'call_1', 'headline', 1, 's', '"Refund €1.00"')`,
      [tenant],
    );
    for (const call of ["call_2", "call_3", "call_4"]) await asked({}, "now()", call);
    await asked({ headline: "c" });
    expect(await listHeadlines()).toEqual(["Refund €1.00", "Refund €1.00", "Refund €1.00"]);
    await database.query(
      "update paraph.call set parent = 'call_2', step = 's', depth = 1 where id = 'call_1'",
    );
    expect(await listHeadlines()).toEqual([undefined, undefined, undefined]);
    await database.query(
      "update paraph.call set parent = null, step = null, depth = null where id = 'call_1'",
    );
    await asked({});
    expect(await listHeadlines()).toEqual([undefined, undefined, undefined]);
  });

  it("[P5] a version without headlines cannot refuse a call because of a digest that covers one", async () => {
    await database.query("delete from paraph.event_row where call = 'call_1'");
    await asked({ headline: "c" });
    expect(await refuse()).toEqual({ kind: "lost" });
    await database.query("delete from paraph.event_row where call = 'call_1'");
    await asked({ headline: "c" }, "now() - interval '16 minutes'");
    const covers = await database.query("select paraph.covers_headline($1, 'call_1') as it", [tenant]);
    expect(covers).toEqual([{ it: false }]);
    expect(await refuse({ knowsHeadlines: true })).toMatchObject({ kind: "done" });
  });
});
