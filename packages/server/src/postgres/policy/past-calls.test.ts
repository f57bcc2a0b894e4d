import { commitment, type Json, type NewPayload } from "@paraph/core";
import { createRawEvent } from "@paraph/core/testing";
import { afterAll, expect, it, vi } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { systemRandom } from "../../system/system-random.ts";
import { beginProcessLease, connectDatabase, PostgresStore, provision } from "../index.ts";
import { createCallHistory, listPolicyRequests, loadPolicyReport } from "./past-calls.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
afterAll(async () => {
  await lease.end();
  await db.close();
});
await provision(database.ownerUrl, async (p) => {
  for (const tenant of ["red", "blue"]) {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
  }
});
const store = new PostgresStore(db.app, lease.number);
const now = Date.now();
const hour = 3_600_000;

type Ruled = { readonly [name: string]: Json };
const createRequestPayload = (value: Json): NewPayload => ({ name: "request", salt: "5a", value });
const request = createRequestPayload({
  version: "v",
  discharged: [],
  preview: false,
  principal: { id: "bot", kind: "agent", groups: [] },
});

async function insertPastCall(
  tenant: string,
  createdAt: number,
  rulings: readonly Ruled[],
  payloads: readonly NewPayload[] = [{ name: "input", salt: "00", value: { cents: 1 } }, request],
): Promise<string> {
  const call = createIdAt(createdAt);
  const ruled = rulings.map((data) => createRawEvent("ruled", createdAt, data));
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
    events: [createRawEvent("accepted", createdAt), ...ruled],
  });
  return call;
}

/** Creates an id as the system does, with its time first. */
function createIdAt(at: number): string {
  // Later test files share this process, so the clock must not stay replaced.
  using _ = vi.spyOn(Date, "now").mockReturnValue(at);
  return systemRandom.id("call");
}

async function collectPages(tenant: string, since: number, until = now + hour) {
  const found = [];
  for await (const page of createCallHistory(db.app, tenant).pages(since, until)) found.push(...page);
  return found;
}

const allow = { ruling: "allow", policies: ["all"], version: "v", request: "x" };

it("returns the calls of a time range with their first ruling and request, oldest first", async () => {
  const preview: NewPayload = { name: "preview", salt: "01", value: { changes: [], basis: {} } };
  const older = await insertPastCall("red", now - 3 * hour, [allow]);
  const block = { ...allow, ruling: "block", code: "forbidden", policies: ["no"] };
  const observed = { ...allow, observed: { kind: "ask", policies: ["some"] } };
  const first = await insertPastCall("red", now - 60_000, [block, allow]);
  const second = await insertPastCall(
    "red",
    now - 30_000,
    [observed],
    [createRequestPayload({ a: 1 }), preview],
  );
  const third = await insertPastCall(
    "red",
    now - 20_000,
    [{ ruling: "allow", policies: [], grant: "grant_1" }],
    [],
  );
  await insertPastCall("red", now - 10_000, []);
  await insertPastCall("blue", now - 30_000, [allow]);

  const found = await collectPages("red", now - hour);
  expect(found).toEqual([
    {
      call: first,
      capability: "bank.pay",
      contractDigest: "c",
      openedAt: now - 60_000,
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
      openedAt: now - 30_000,
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
      openedAt: now - 20_000,
      requirements: [],
      was: { kind: "allow", policies: [] },
      granted: true,
      recorded: false,
    },
  ]);
  expect((await collectPages("red", now - 4 * hour, now - hour)).map(({ call }) => call)).toEqual([older]);
  expect(await createCallHistory(db.app, "red").count(now - hour, now + hour)).toBe(4);
});

it("returns every call exactly once, across pages of 250", async () => {
  const calls = new Set<string>();
  for (let index = 0; index < 1_203; index++)
    calls.add(await insertPastCall("blue", now - 40 * hour + index, [allow]));
  const found = await collectPages("blue", now - 41 * hour, now - 39 * hour);
  expect(found.map(({ call }) => call)).toEqual([...calls].sort());
  for await (const page of createCallHistory(db.app, "blue").pages(now - 41 * hour, now)) {
    // A reader may stop after any page.
    expect(page.length).toBe(250);
    break;
  }
});

it("reports hypothetical asks, checks and blocks by policy, and the number of enforced rulings", async () => {
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
    await insertPastCall("red", since + 1_000, rulings);
  const report = await loadPolicyReport(db.app, "red", since, since + hour);
  expect(report).toEqual({
    calls: 6,
    enforced: 0,
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
  await insertPastCall("red", since + 2_000, [
    { ...allow, ruling: "block", policies: ["never"], code: "forbidden" },
  ]);
  expect(await loadPolicyReport(db.app, "red", since, since + hour)).toMatchObject({ calls: 7, enforced: 1 });
  expect(await loadPolicyReport(db.app, "blue", since, since + hour)).toMatchObject({
    calls: 0,
    byPolicy: [],
  });
});

it("keeps every policy request of a call, each with the commitment of its ruling", async () => {
  const [first, second] = [createRequestPayload({ n: 1 }), createRequestPayload({ n: 2 })];
  const call = await insertPastCall("red", now, [allow], [first]);
  await store.commit({
    tenant: "red",
    call,
    epoch: 1,
    state: "ready",
    nextAt: now + hour,
    events: [],
    payloads: [second],
  });
  const found = await listPolicyRequests(db.app, "red", call);
  expect(found.map(({ value }) => value)).toEqual([{ n: 1 }, { n: 2 }]);
  expect(commitment(found[1]!.salt, found[1]!.value)).toBe(commitment(second.salt, second.value));
  expect(await listPolicyRequests(db.app, "blue", call)).toEqual([]);
});

it("starts below the ids of its time by an hour, because clocks may differ that much", async () => {
  const [row] = await database.query(
    "select paraph.id_before('call', to_timestamp($1::float8 / 1000)) as id",
    [now + hour],
  );
  expect(String(row?.id)).toBe(createIdAt(now).slice(0, 15));
});
