import type { Principal } from "@paraph/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { connectDatabase, listCalls, provision } from "../index.ts";
import { captureQueryPlan } from "./test-query-plan.ts";

const tenant = "acme";
const ana: Principal = { tenant, id: "ana", kind: "person" };
const bot: Principal = { tenant, id: "bot", kind: "agent" };
const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

const noon = Date.parse("2026-03-01T12:00:00Z");
const at = (minutes: number) => noon + minutes * 60_000;

/** Returns an id as Paraph creates it: 48 bits of milliseconds in base 32, and then random digits. */
function toId(time: number): string {
  const digits = "0123456789abcdefghjkmnpqrstvwxyz";
  const prefix = Array.from({ length: 10 }, (_, n) => digits[Math.floor(time / 32 ** (9 - n)) % 32]).join("");
  return `call_${prefix}0000000000000000`;
}

const [lamp, quoted, unnamed] = [toId(at(0)), toId(at(1)), toId(at(2))];

/** Three calls of `bot` at noon, and 12,000 later ones of another agent, one each minute. */
beforeAll(async () => {
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(tenant);
    await p.addPrincipal(ana);
    await p.addPrincipal({ tenant, id: "bot", kind: "agent", owner: "ana" });
    await p.addPrincipal({ tenant, id: "other", kind: "agent", owner: "ana" });
  });
  const insert = (ids: readonly string[], principal: string, capability: string, session: string | null) =>
    database.query(
      `insert into paraph.call (tenant, id, principal, capability, session, key, state, outcome, version, contract_digest, request_digest, lock_keys, epoch, created_at)
       select $1, x.id, $3, $4, $5, 'key-' || x.id, 'closed', 'succeeded', 1, '', '', '{}', 1, to_timestamp(x.at / 1000.0)
       from unnest($2::text[], $6::bigint[]) x (id, at)`,
      [tenant, ids, principal, capability, session, ids.map((id) => times.get(id))],
    );
  const later = Array.from({ length: 12_000 }, (_, n) => at(10 + n));
  const times = new Map([at(0), at(1), at(2), ...later].map((time) => [toId(time), time]));
  await insert([lamp, quoted, unnamed], "bot", "shop.refund", "chat-81");
  await insert(later.map(toId), "other", "box.put", null);
  const write = (call: string, name: string, value: unknown) =>
    database.query(
      "insert into paraph.payload (tenant, call, name, version, salt, body) values ($1, $2, $3, 1, '', $4)",
      [tenant, call, name, JSON.stringify(value)],
    );
  await database.query("update paraph.call set on_behalf_of = 'Kim Osei' where id = $1", [lamp]);
  await write(lamp, "headline", "Refund €12.50 for a Lamp to •••");
  await write(lamp, "input", { card: "4412" });
  await write(quoted, "headline", 'Refund 100% of "desk_2"');
  await database.query(
    `insert into paraph.approval (tenant, id, call, round, digest, guards, expires_at)
     values ($1, 'ask_lamp', $2, 1, '', '[]', now())`,
    [tenant, lamp],
  );
  await database.query("analyze paraph.call");
});

const list = async (filter: object, reader = ana) => {
  const { calls, next } = await listCalls(db.app, reader, { limit: 50, ...filter });
  return { ids: calls.map(({ call }) => call), next };
};
const search = (text: string, capabilities: readonly string[] = []) => ({
  search: { text, capabilities },
  principal: "bot",
});

describe("a search for calls", () => {
  it.each([
    ["a part of a headline, in any case", search("a lamp"), [lamp]],
    ["quotes and characters of patterns as they are", search('100% of "desk_'), [quoted]],
    ["nothing for a pattern", search("100_ of"), []],
    ["a part of a capability's name", search("REFUND"), [unnamed, quoted, lamp]],
    [
      "calls without a headline by their capability's description",
      search("a payment", ["shop.refund"]),
      [unnamed],
    ],
    [
      "a part of the requester's id, in any case",
      { search: { text: "BO", capabilities: [] }, until: at(3) },
      [unnamed, quoted, lamp],
    ],
    ["a part of the id of the person whom the requester acts for", search("kim os"), [lamp]],
    ["an id", { search: { text: quoted, capabilities: [] } }, [quoted]],
    ["an idempotency key of any principal", { search: { text: `key-${lamp}`, capabilities: [] } }, [lamp]],
    ["the id of an approval", { search: { text: "ask_lamp", capabilities: [] } }, [lamp]],
    ["nothing for a part of an id", search(quoted.slice(0, -1)), []],
    ["a session", { session: "chat-81" }, [unnamed, quoted, lamp]],
    ["calls from a time on, up to another", { since: at(1), until: at(2) }, [quoted]],
    ["old calls without a scan of the newer ones", { until: at(1) }, [lamp]],
  ])("finds %s", async (_what, filter, ids) => {
    expect(await list(filter)).toEqual({ ids, next: undefined });
  });

  it("[TRUST 16] never finds values that the headline masks", async () => {
    expect((await list(search("4412"))).ids).toEqual([]);
    expect((await list(search("card"))).ids).toEqual([]);
  });

  it("[TRUST 9] finds only the agent's own calls for an agent", async () => {
    const newest = toId(at(12_009));
    for (const text of [newest, `key-${newest}`, "box"])
      expect(await list({ search: { text, capabilities: ["box.put"] } }, bot)).toEqual({
        ids: [],
        next: undefined,
      });
    expect((await list({ principal: "other" }, bot)).ids).toEqual([]);
    expect((await list({ session: "chat-81" }, { ...bot, id: "other" })).ids).toEqual([]);
  });

  it("reads 5,000 calls per page at most, and continues on the next page", async () => {
    const filter = { search: { text: "lamp", capabilities: [] } };
    const first = await list(filter);
    const second = await list({ ...filter, before: first.next });
    const third = await list({ ...filter, before: second.next });
    expect([first, second].map(({ ids }) => ids)).toEqual([[], []]);
    expect(first.next).toBe(toId(at(10 + 7_000)));
    expect(third).toEqual({ ids: [lamp], next: undefined });
  });

  it.each([
    ["call_of_session", { session: "chat-81" }],
    ["call_of_principal", search("lamp")],
    ["call_pkey", { until: at(2), search: { text: "lamp", capabilities: [] } }],
    [
      "call_tenant_principal_key_key",
      { search: { text: `key-${lamp}`, capabilities: [] } },
      "select id from paraph.call",
    ],
  ])("uses the index %s", async (index, filter, start = "select c.") => {
    const plan = await captureQueryPlan(db.app, start, (app) =>
      listCalls(app, ana, { limit: 50, ...(filter as object) }),
    );
    expect(plan).toMatch(new RegExp(`Index (Only )?Scan( Backward)? using ${index}`));
    expect(plan).not.toMatch(/Seq Scan on call/);
  });
});
