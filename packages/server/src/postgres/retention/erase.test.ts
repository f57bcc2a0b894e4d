import { verifyReceipt } from "@paraph/core";
import { createTestSigner } from "@paraph/core/testing";
import { expect, it } from "vitest";
import { createOwnedDatabase, fillByWalk } from "../../../../../test/support/servers/owned-database.ts";
import { walkTenant as tenant } from "../calls/test-replay-walk.ts";
import { withTenant } from "../database.ts";
import { checkReplay, findEnvelope } from "../index.ts";
import { eraseCalls, planErasure } from "./erase.ts";

const database = await createOwnedDatabase();
const signer = await createTestSigner();
const db = await fillByWalk(database, signer, 300);
const { ownerUrl } = database;
const bySubject = { ownerUrl, tenant, of: { subject: "T1" } };
const column = async (text: string, values?: unknown[]) =>
  (await database.query(text, values)).map((row) => Object.values(row)[0]);
const readyCalls = async () =>
  (await planErasure(bySubject)).calls.filter(({ state }) => state === "ready").map(({ call }) => call);
const erase = async () => eraseCalls(bySubject, { calls: await readyCalls(), reason: "request 12" });
const mentions = "select distinct call from paraph.payload where body ilike '%t1%' order by 1";

it("finds each call that contains the text, and leaves open calls and unknown outcomes alone", async () => {
  const { calls, kept } = await planErasure(bySubject);
  expect(calls.map(({ call }) => call)).toEqual(await column(mentions));
  const states = new Map(calls.map(({ call, state }) => [call, state]));
  const rows = await database.query(
    `select c.id, c.state, c.outcome = 'unknown' and r.call is null as unresolved
     from paraph.call c left join paraph.resolution r on r.tenant = c.tenant and r.call = c.id where c.id = any ($1)`,
    [[...states.keys()]],
  );
  for (const { id, state, unresolved } of rows)
    expect([id, states.get(String(id))]).toEqual([
      id,
      state !== "closed" ? "open" : unresolved ? "unresolved" : "ready",
    ]);
  expect([...states.values()]).toEqual(expect.arrayContaining(["ready", "open"]));
  const [unknown] = await column(
    "select id from paraph.call c where outcome = 'unknown' and not exists (select from paraph.resolution r where r.call = c.id) limit 1",
  );
  const one = await planErasure({ ownerUrl, tenant, of: { call: String(unknown) } });
  expect(one.calls.map(({ state }) => state)).toEqual(["unresolved"]);
  expect(kept).toEqual({});
});

it("the application's login cannot erase, not even through the function", async () => {
  const [call] = await readyCalls();
  await expect(
    withTenant(db.app, tenant, (query) => query("select paraph.erase($1, $2, 'r')", [tenant, call])),
  ).rejects.toThrow(/permission denied/);
});

it("erases each call in one transaction, and a repeated run continues after a crash", async () => {
  const ready = await readyCalls();
  const failing = ready[Math.floor(ready.length / 2)]!;
  await database.query(`create function public.crash() returns trigger language plpgsql as $$
    begin if new.kind = 'erased' and new.call = '${failing}' then raise exception 'crash'; end if; return new; end $$`);
  await database.query(
    "create trigger crash before insert on paraph.event_row for each row execute function crash()",
  );
  await expect(erase()).rejects.toThrow("crash");
  const withoutPayloads = await column(
    "select id from paraph.call c where not exists (select from paraph.payload y where y.call = c.id) order by 1",
  );
  expect(withoutPayloads).toEqual(ready.slice(0, ready.indexOf(failing)));
  expect(await readyCalls()).toEqual(ready.slice(ready.indexOf(failing)));
  expect((await checkReplay(database.url, { tenant })).differences).toEqual([]);
  await database.query("drop trigger crash on paraph.event_row");

  expect(await erase()).toEqual(ready.slice(ready.indexOf(failing)));
  expect(await readyCalls()).toEqual([]);
  expect(await erase()).toEqual([]);
});

it("afterwards no row holds the content of an erased call, and all receipts verify", async () => {
  const erased = await column("select call from paraph.event where kind = 'erased' order by 1");
  expect(erased.length).toBeGreaterThan(10);
  const left = `select call from paraph.payload where call = any ($1)
    union all select call from paraph.message where call = any ($1) and body is not null
    union all select id from paraph.call where id = any ($1) and (request_digest <> 'erased' or lock_keys <> '{}')
    union all select call from paraph.undelivered where call = any ($1)`;
  expect(await column(left, [erased])).toEqual([]);
  const [event] = await column("select data from paraph.event where kind = 'erased' order by call limit 1");
  expect(event).toMatchObject({
    by: database.owner,
    reason: "request 12",
    payloads: expect.arrayContaining(["input", "request"]),
  });
  for (const call of erased) {
    const envelope = await findEnvelope(db.app, tenant, String(call));
    const bundle = { mediaType: "application/vnd.paraph.receipt.v1+json", envelope, disclosures: {} };
    await expect(verifyReceipt(bundle, [signer.publicKey])).resolves.toBeDefined();
  }
});

it("[replay] the check counts erased calls, and still reports a payload that is missing without an erasure", async () => {
  const erased = await column("select call from paraph.event where kind = 'erased'");
  const before = await checkReplay(database.url, { tenant });
  expect(before).toMatchObject({ erased: erased.length, differences: [] });
  const [other] = await column("select call from paraph.payload where name = 'input' order by call limit 1");
  await database.query("delete from paraph.payload where call = $1 and name = 'input'", [other]);
  expect((await checkReplay(database.url, { tenant })).differences).toEqual([
    { call: other, table: "payload", row: "input", told: "there", found: "missing" },
  ]);
});

it("a tenant that does not exist is an error, and another tenant's call is not found", async () => {
  await expect(planErasure({ ...bySubject, tenant: "other" })).rejects.toThrow("There is no tenant `other`");
  const { calls } = await planErasure({ ownerUrl, tenant, of: { call: "call_unknown" } });
  expect(calls).toEqual([]);
});
