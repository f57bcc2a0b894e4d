import type { Principal } from "@paraph/core";
import { afterAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { connectDatabase, listActivity, provision } from "../index.ts";
import { captureQueryPlan } from "./test-query-plan.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

const tenant = "acme";
const reader: Principal = { tenant, id: "ana", kind: "person" };
await provision(database.ownerUrl, async (p) => {
  for (const name of [tenant, "evil"]) {
    await p.addTenant(name);
    await p.addPrincipal({ tenant: name, id: "ana", kind: "person" });
    for (const id of ["bot", "other"])
      await p.addPrincipal({ tenant: name, id, kind: "agent", owner: "ana" });
  }
});

interface InsertedCall {
  readonly tenant?: string;
  readonly principal?: string;
  readonly capability?: string;
  readonly parent?: [call: string, step: string, depth: number];
  readonly events: readonly (readonly [kind: string, at: number, data?: object])[];
}

/** Inserts a call with the rows that the pipeline writes. */
async function insertCall(id: string, { parent, events, ...told }: InsertedCall): Promise<void> {
  const of = told.tenant ?? tenant;
  await database.query(
    `insert into paraph.call (tenant, id, principal, key, capability, version, contract_digest, request_digest, lock_keys, state, epoch, next_at, created_at, parent, step, depth)
     values ($1, $2, $3, $2, $4, 1, '', '', '{}', 'ready', 1, now(), now(), $5, $6, $7)`,
    [of, id, told.principal ?? "bot", told.capability ?? "box.put", ...(parent ?? [null, null, null])],
  );
  for (const [index, [kind, at, data = {}]] of events.entries())
    await database.query(
      "insert into paraph.event_row (tenant, call, seq, kind, at, data) values ($1, $2, $3, $4, timestamptz 'epoch' + make_interval(secs => $5), $6)",
      [of, id, index + 1, kind, at, data],
    );
  await database.query(
    "insert into paraph.receipt (tenant, call, digest, envelope) values ($1, $2, $2 || '-digest', '')",
    [of, id],
  );
}

const closedData = (outcome: string, code = "done") => ({ outcome, code });
const votedData = (by: string, decision: string, more: object = {}) => ({
  round: 1,
  by,
  decision,
  as: "approver",
  ...more,
});

await insertCall("call_plan", {
  capability: "plan.apply",
  events: [
    ["accepted", 10],
    ["ruled", 10],
    ["asked", 11, { approval: "ask_1", round: 1, digest: "d" }],
    ["voted", 12, votedData("bo", "approve", { declined: ["c"] })],
    ["round-closed", 12, { round: 1, status: "approved" }],
    ["began", 13],
    ["stepped", 15],
    ["closed", 20, closedData("failed", "compensated")],
  ],
});
await database.query(
  "insert into paraph.approval (tenant, id, call, round, digest, status, guards, expires_at) values ('acme', 'ask_1', 'call_plan', 1, 'd', 'approved', '[]', now())",
);
const toParent = (id: string, of: string, depth = 1): NonNullable<InsertedCall["parent"]> => [of, id, depth];
await insertCall("call_a", {
  parent: toParent("a", "call_plan"),
  events: [
    ["accepted", 13],
    ["closed", 14, closedData("succeeded")],
  ],
});
await insertCall("call_b", {
  parent: toParent("b", "call_plan"),
  events: [
    ["accepted", 14],
    ["closed", 16, closedData("unknown", "no-answer")],
    ["resolved", 30, { finding: "happened", by: "bo", how: "person" }],
  ],
});
await insertCall("call_back", {
  capability: "plan.apply",
  parent: toParent("$compensation", "call_plan"),
  events: [
    ["accepted", 17],
    ["closed", 19, closedData("succeeded")],
  ],
});
await insertCall("call_back_a", {
  parent: toParent("undo-1-a", "call_back", 2),
  events: [
    ["accepted", 17],
    ["closed", 18, closedData("succeeded")],
  ],
});
await insertCall("call_undo", {
  principal: "other",
  events: [
    ["accepted", 40, { undoes: "call_b" }],
    ["closed", 41, closedData("succeeded")],
  ],
});
await insertCall("call_no", {
  principal: "other",
  events: [
    ["accepted", 50],
    ["asked", 51, { round: 1 }],
    ["voted", 52, votedData("ana", "deny")],
    ["closed", 52, closedData("denied", "denied")],
  ],
});
await insertCall("call_theirs", { tenant: "evil", events: [["closed", 53, closedData("succeeded")]] });

type Filter = Parameters<typeof listActivity>[3];
const listAll = (filter: Partial<Filter> = {}, as = reader, own = false) =>
  listActivity(db.app, as, own, { limit: 100, ...filter });
const listShort = async (...given: Parameters<typeof listAll>) =>
  (await listAll(...given)).activity.map(({ kind, call }) => `${kind} ${call.slice(5)}`);

describe("activity", () => {
  it("lists the actions of people and calls, newest first, each with its plan", async () => {
    const { activity, next } = await listAll();
    expect(next).toBeUndefined();
    expect(
      activity.map(({ kind, call, plan }) => `${kind} ${call.slice(5)} ${plan?.slice(5) ?? "-"}`),
    ).toEqual([
      ...["end no -", "deny no -", "ask no -", "undo undo -", "resolve b plan", "apply plan plan"],
      ...["undo back plan", "apply back_a plan", "apply b plan", "apply a plan"],
      ...["begin plan plan", "approve plan plan", "ask plan plan"],
    ]);
  });

  it("[P10] contains ids, codes and times", async () => {
    const { activity } = await listAll({ plan: "call_plan", kinds: ["approve"] });
    expect(activity).toEqual([
      {
        id: "call_plan.4",
        at: 12_000,
        kind: "approve",
        call: "call_plan",
        plan: "call_plan",
        capability: "plan.apply",
        principal: "bot",
        by: "bo",
        as: "approver",
        approval: "ask_1",
        round: 1,
        declined: ["c"],
      },
    ]);
    expect((await listAll({ call: "call_b" })).activity).toMatchObject([
      { kind: "resolve", by: "bo", finding: "happened" },
      { kind: "apply", step: "b", outcome: "unknown", code: "no-answer", receipt: "call_b-digest" },
    ]);
  });

  it("[P13] of a plan includes its steps, the undos of any step, and the steps of those undos", async () => {
    expect(await listShort({ plan: "call_plan" })).toEqual([
      ...["undo undo", "resolve b", "apply plan", "undo back", "apply back_a", "apply b", "apply a"],
      ...["begin plan", "approve plan", "ask plan"],
    ]);
    expect(await listShort({ plan: "call_no" })).toEqual(["end no", "deny no", "ask no"]);
    expect(await listShort({ plan: "call_plan", call: "call_b" })).toEqual(["resolve b", "apply b"]);
    expect(await listShort({ plan: "call_plan", call: "call_no" })).toEqual([]);
  });

  it.each([
    [{ principal: "other" }, ["end no", "deny no", "ask no", "undo undo"]],
    [{ principal: "ana" }, ["deny no"]],
    [{ capability: "plan.apply", kinds: ["undo"] }, ["undo back"]],
    [{ kinds: ["undo"] }, ["undo undo", "undo back"]],
    [{ outcome: "unknown" }, ["apply b"]],
    [{ outcome: "denied" }, ["end no"]],
    [{ since: 40_000, until: 52_000 }, ["ask no", "undo undo"]],
  ] as const)("can be filtered by %o", async (filter, found) => {
    expect(await listShort(filter)).toEqual(found);
  });

  it("has pages without gaps or repeats, for all activity, a plan and a principal", async () => {
    for (const filter of [{}, { plan: "call_plan" }, { principal: "bot" }]) {
      const seen: string[] = [];
      let before: Filter["before"];
      do {
        const page = await listAll({ ...filter, limit: 3, ...(before && { before }) });
        seen.push(...page.activity.map(({ id }) => id));
        before = page.next;
      } while (before);
      expect(seen).toEqual((await listAll(filter)).activity.map(({ id }) => id));
    }
  });

  it("[TRUST 9] [TRUST 10] shows a restricted reader only their own requests and actions, and no other tenant's", async () => {
    const bot: Principal = { tenant, id: "bot", kind: "agent" };
    expect((await listAll({}, bot, true)).activity.every(({ principal }) => principal === "bot")).toBe(true);
    expect(await listShort({}, reader, true)).toEqual(["deny no"]);
    expect(await listShort({ call: "call_no" }, bot, true)).toEqual([]);
    expect(await listShort({ call: "call_theirs" })).toEqual([]);
    expect(await listShort({}, { ...reader, tenant: "evil" })).toEqual(["apply theirs"]);
  });

  it("has pages whose cost does not grow with the ledger, even if few entries match", async () => {
    await database.query(
      `insert into paraph.call (tenant, id, principal, key, capability, version, contract_digest, request_digest, lock_keys, state, epoch, next_at, created_at)
       select 'acme', 'many_' || lpad(n::text, 7, '0'), 'bot', 'many' || n, 'box.put', 1, '', '', '{}', 'ready', 1, now(), now() from generate_series(1, 6000) n`,
    );
    await database.query(
      `insert into paraph.event_row (tenant, call, seq, kind, at, data)
       select 'acme', 'many_' || lpad(n::text, 7, '0'), 1, 'closed', timestamptz 'epoch' + make_interval(secs => 100 + n), '{"outcome":"succeeded"}'
       from generate_series(1, 6000) n`,
    );
    await database.query("analyze paraph.event_row, paraph.call");
    const plan = await captureQueryPlan(db.app, "select e.", (app) =>
      listActivity(app, reader, false, { limit: 50 }),
    );
    expect(plan).toContain("Index Scan Backward using event_activity");
    expect(plan).not.toMatch(/Seq Scan|Bitmap|Sort|hashed/);
    // If a principal's last activity is old, a page ends where the scan stopped.
    const far = await listAll({ principal: "other", limit: 50 });
    expect(far).toEqual({ activity: [], next: { at: 1_101_000, call: "many_0001001", seq: 1 } });
    expect(await listShort({ principal: "other", before: far.next! })).toEqual([
      ...["end no", "deny no", "ask no", "undo undo"],
    ]);
  });
});
