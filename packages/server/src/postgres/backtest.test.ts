import { commitment, type Json, type NewPayload } from "@paraph/core";
import { rawEvent } from "@paraph/core/testing";
import { afterAll, expect, it, vi } from "vitest";
import { testDatabase } from "../../../../test/database.ts";
import { systemRandom } from "../system/random.ts";
import { callHistory, policyReport, policyRequests } from "./backtest.ts";
import { beginLife, connect, PostgresStore, provision } from "./index.ts";

const database = await testDatabase();
const db = await connect(database.url);
const life = await beginLife(database.url);
afterAll(async () => {
  await life.end();
  await db.close();
});
await provision(database.ownerUrl, async (p) => {
  for (const tenant of ["red", "blue"]) {
    await p.tenant(tenant);
    await p.principal({ tenant, id: "bot", kind: "agent" });
  }
});
const store = new PostgresStore(db.app, life.number);
const now = Date.now();
const hour = 3_600_000;

type Ruled = { readonly [name: string]: Json };
const asked = (value: Json): NewPayload => ({ name: "request", salt: "5a", value });
const request = asked({
  version: "v",
  discharged: [],
  preview: false,
  principal: { id: "bot", kind: "agent", groups: [] },
});

async function made(
  tenant: string,
  createdAt: number,
  rulings: readonly Ruled[],
  payloads: readonly NewPayload[] = [{ name: "input", salt: "00", value: { cents: 1 } }, request],
): Promise<string> {
  const call = idAt(createdAt);
  const ruled = rulings.map((data) => rawEvent("ruled", createdAt, data));
  await store.open({
    tenant,
    call,
    principal: { tenant, id: "bot", kind: "agent" },
    key: call,
    capability: "bank.pay",
    version: 1,
    contractDigest: "c",
    requestDigest: "r",
    session: {},
    trace: undefined,
    lockKeys: [],
    requirements: [],
    createdAt,
    state: "ready",
    nextAt: now + hour,
    payloads,
    events: [rawEvent("accepted", createdAt), ...ruled],
  });
  return call;
}

/** As the system makes ids: their time first. */
function idAt(at: number): string {
  vi.spyOn(Date, "now").mockReturnValueOnce(at);
  return systemRandom.id("call");
}

async function pages(tenant: string, since: number, until = now + hour) {
  const found = [];
  for await (const page of callHistory(db.app, tenant).pages(since, until)) found.push(...page);
  return found;
}

const allow = { ruling: "allow", policies: ["all"], version: "v", request: "x" };

it("tells the calls of a span as policy first met them, oldest first", async () => {
  const preview: NewPayload = { name: "preview", salt: "01", value: { changes: [], basis: {} } };
  const older = await made("red", now - 3 * hour, [allow]);
  const block = { ...allow, ruling: "block", code: "forbidden", policies: ["no"] };
  const observed = { ...allow, observed: { kind: "ask", policies: ["some"] } };
  const first = await made("red", now - 60_000, [block, allow]);
  const second = await made("red", now - 30_000, [observed], [asked({ a: 1 }), preview]);
  const third = await made("red", now - 20_000, [{ ruling: "allow", policies: [], grant: "grant_1" }], []);
  await made("red", now - 10_000, []);
  await made("blue", now - 30_000, [allow]);

  const found = await pages("red", now - hour);
  expect(found).toEqual([
    {
      call: first,
      capability: "bank.pay",
      contractDigest: "c",
      requirements: [],
      was: { kind: "block", policies: ["no"], code: "forbidden" },
      granted: false,
      recorded: true,
      input: { cents: 1 },
      request: request.value,
    },
    {
      call: second,
      capability: "bank.pay",
      contractDigest: "c",
      requirements: [],
      was: { kind: "ask", policies: ["some"] },
      granted: false,
      recorded: true,
      preview: preview.value,
      request: { a: 1 },
    },
    {
      call: third,
      capability: "bank.pay",
      contractDigest: "c",
      requirements: [],
      was: { kind: "allow", policies: [] },
      granted: true,
      recorded: false,
    },
  ]);
  expect((await pages("red", now - 4 * hour, now - hour)).map(({ call }) => call)).toEqual([older]);
  expect(await callHistory(db.app, "red").count(now - hour, now + hour)).toBe(4);
});

it("tells every call once, in whatever pages", async () => {
  const calls = new Set<string>();
  for (let index = 0; index < 1_203; index++) calls.add(await made("blue", now - 40 * hour + index, [allow]));
  const found = await pages("blue", now - 41 * hour, now - 39 * hour);
  expect(found.map(({ call }) => call)).toEqual([...calls].sort());
  for await (const page of callHistory(db.app, "blue").pages(now - 41 * hour, now)) {
    // Whoever has seen enough stops.
    expect(page.length).toBe(250);
    break;
  }
});

it("reports what would have been asked, checked, blocked, by which policy, and that nothing was hindered", async () => {
  const since = now - 100 * hour;
  const would = (kind: string, ...policies: string[]) => ({ ...allow, observed: { kind, policies } });
  for (const rulings of [
    [allow],
    [would("ask", "two-people", "large")],
    [would("ask", "large"), would("ask", "large")],
    [would("check", "no-secrets"), would("ask", "large")],
    [would("block", "never")],
    [{ ...allow, shadow: { kind: "block", policies: ["soon"] } }],
  ])
    await made("red", since + 1_000, rulings);
  const report = await policyReport(db.app, "red", since, since + hour);
  expect(report).toEqual({
    calls: 6,
    hindered: 0,
    rulings: { allow: 2, ask: 3, block: 1 },
    byPolicy: [
      { policy: "large", ruling: "ask", calls: 3 },
      { policy: "never", ruling: "block", calls: 1 },
      { policy: "two-people", ruling: "ask", calls: 1 },
    ],
    byCapability: [
      { capability: "bank.pay", ruling: "ask", calls: 3 },
      { capability: "bank.pay", ruling: "block", calls: 1 },
    ],
    shadow: { calls: 1, byPolicy: [{ policy: "soon", ruling: "block", calls: 1 }] },
  });
  await made("red", since + 2_000, [{ ...allow, ruling: "block", policies: ["never"], code: "forbidden" }]);
  expect(await policyReport(db.app, "red", since, since + hour)).toMatchObject({ calls: 7, hindered: 1 });
  expect(await policyReport(db.app, "blue", since, since + hour)).toMatchObject({ calls: 0, byPolicy: [] });
});

it("keeps every question about a call, each found by its ruling's commitment", async () => {
  const [first, second] = [asked({ n: 1 }), asked({ n: 2 })];
  const call = await made("red", now, [allow], [first]);
  await store.commit({
    tenant: "red",
    call,
    epoch: 1,
    state: "ready",
    nextAt: now + hour,
    events: [],
    payloads: [second],
  });
  const found = await policyRequests(db.app, "red", call);
  expect(found.map(({ value }) => value)).toEqual([{ n: 1 }, { n: 2 }]);
  expect(commitment(found[1]!.salt, found[1]!.value)).toBe(commitment(second.salt, second.value));
  expect(await policyRequests(db.app, "blue", call)).toEqual([]);
});

it("begins below every id of its time, whatever an hour's difference between clocks", async () => {
  const [row] = await database.query(
    "select paraph.id_before('call', to_timestamp($1::float8 / 1000)) as id",
    [now + hour],
  );
  expect(String(row?.id)).toBe(idAt(now).slice(0, 15));
});
