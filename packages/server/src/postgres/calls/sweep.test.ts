import { admit, advance, Catalog, defineCapability } from "@paraph/core";
import { createPlainPolicy, ExternalSystem, externalRules } from "@paraph/core/testing";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { createTestPipeline, testAgent, testTenant } from "../../../../../test/support/test-pipeline.ts";
import {
  beginProcessLease,
  connectDatabase,
  createPlanSweep,
  PostgresStore,
  provision,
  sweepDueCalls,
  sweepMisdatedCalls,
} from "../index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
afterAll(async () => {
  await lease.end();
  await db.close();
});

await provision(database.ownerUrl, async (p) => {
  await p.addTenant(testTenant);
  await p.addPrincipal({ tenant: testTenant, id: "owner", kind: "person" });
  await p.addPrincipal(testAgent);
});

const pipeline = await createTestPipeline("sweep");
const offered = defineCapability({
  name: "own.send",
  version: 1,
  summary: "Send a message",
  performer: "agent",
  timeout: "1m",
  effect: "write",
  idempotency: "none",
  input: z.object({ target: z.string() }),
  output: z.object({}),
});
const outside = new ExternalSystem(pipeline.clock).createCapabilities({
  gate: async () => {},
  alive: () => true,
});
const ports = pipeline.ports({
  store: new PostgresStore(db.app, lease.number),
  policy: createPlainPolicy({ ...externalRules, "own.send": "allow" }),
  catalog: new Catalog([...outside, offered]),
});

const openCall = async (capability: string) =>
  (await admit({ principal: testAgent, capability, input: { target: "t" } }, ports, () => false)).call.call;

it("[P2] the sweeper finds a call that a wrong clock delayed by a month, and skips an approval that waits so long", async () => {
  const [ready, soon] = [await openCall("natural.allowed"), await openCall("natural.allowed")];
  await openCall("natural.asked");
  await database.query(
    "update paraph.call set next_at = paraph.now() + (case id when $1 then interval '10 minutes' else interval '30 days' end)",
    [soon],
  );
  expect((await sweepMisdatedCalls(db.sweeper)).map(({ call }) => call)).toEqual([ready]);
  expect(await sweepMisdatedCalls(db.sweeper)).toEqual([]);
});

it("[P2] the next segment restores the due time of an approval and an offer that a wrong clock delayed", async () => {
  const waiting = [await openCall("natural.asked"), await openCall("own.send")];
  const looks = () =>
    database.query("select next_at from paraph.call where id = any($1) order by id", [waiting]);
  const readDue = async () => {
    for (const call of waiting) await advance({ tenant: testTenant, call }, ports);
    return looks();
  };
  const due = await readDue();
  await database.query("update paraph.call set next_at = next_at + interval '30 days' where id = any($1)", [
    waiting,
  ]);
  expect(await readDue()).toEqual(due);
});

it("tenants take turns in a sweep, so a tenant with many due calls does not delay the others", async () => {
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant("calm");
    await p.addPrincipal({ tenant: "calm", id: "owner", kind: "person" });
    await p.addPrincipal({ ...testAgent, tenant: "calm" });
  });
  for (let n = 0; n < 5; n += 1) await openCall("natural.allowed");
  const request = { capability: "natural.allowed", input: { target: "t" } };
  const { call } = await admit(
    { ...request, principal: { ...testAgent, tenant: "calm" } },
    ports,
    () => false,
  );
  await database.query(
    "update paraph.call set next_at = paraph.now() - (case tenant when 'calm' then interval '1 second' else interval '1 minute' end) where next_at is not null",
  );
  const found = await sweepDueCalls(db.sweeper, 2);
  expect(found.map(({ tenant }) => tenant).sort()).toEqual([testTenant, "calm"].sort());
  expect(found).toContainEqual({ tenant: "calm", call: call.call, epoch: call.epoch });
});

it("a sweep reads due calls from their index, and not every call that waits", async () => {
  let text = "";
  const recorder = {
    query: async (statement: { text: string }) => {
      text = statement.text;
      return { rows: [] };
    },
  };
  await sweepDueCalls(recorder as unknown as typeof db.sweeper);
  const { rows } = await db.sweeper.query(`explain ${text}`, [10, 100]);
  expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/call_due.*\n\s*Index Cond: \(next_at <=/);
});

/** Opens a plan that waits for a minute, with one step. The step ended this many seconds ago. */
async function openWaitingPlan(endedSecondsAgo: number): Promise<string> {
  const [plan, step] = [await openCall("natural.allowed"), await openCall("natural.allowed")];
  await database.query(
    "update paraph.call set state = 'composing', next_at = paraph.now() + interval '1 minute' where id = $1",
    [plan],
  );
  await database.query(
    `update paraph.call set parent = $2, step = '0', depth = 1, state = 'closed', outcome = 'succeeded', next_at = null,
       closed_at = paraph.now() - make_interval(secs => $3) where id = $1`,
    [step, plan, endedSecondsAgo],
  );
  return plan;
}

const listDue = async (calls: readonly string[]) =>
  (
    await database.query("select id from paraph.call where next_at <= paraph.now() and id = any($1)", [calls])
  ).map(({ id }) => id);

/** Stops the database's clock until the end of the test. */
async function stopClock(): Promise<void> {
  const [row] = await database.query(
    "select pg_get_functiondef('paraph.now()'::regprocedure) as definition, clock_timestamp()::text as now",
  );
  await database.query(
    `create or replace function paraph.now() returns timestamptz language sql volatile as $$ select timestamptz '${row!.now}' $$`,
  );
  onTestFinished(async () => void (await database.query(String(row!.definition))));
}

it("[P14] a plan whose step ended is due, even if no process was there to send the message", async () => {
  // The sweep skips the last two seconds, which would otherwise pass on a busy machine.
  await stopClock();
  const [plan, old, fresh] = [
    await openWaitingPlan(600),
    await openWaitingPlan(3_600),
    await openWaitingPlan(0),
  ];
  const sweep = createPlanSweep(db.sweeper);
  await sweep.run();
  expect(await listDue([plan, old, fresh])).toEqual([plan]);
  await database.query("update paraph.call set next_at = paraph.now() + interval '1 minute' where id = $1", [
    plan,
  ]);
  await sweep.run();
  expect(await listDue([plan])).toEqual([]);
  const [earlier, later] = [await openWaitingPlan(30), await openWaitingPlan(3)];
  await sweep.run();
  expect(await listDue([earlier, later])).toEqual([later]);
});

it("the sweep for plans reads the steps that ended lately from their index", async () => {
  let text = "";
  const recorder = {
    query: async (statement: { text: string }) => {
      text = statement.text;
      return { rows: [{}] };
    },
  };
  await createPlanSweep(recorder as unknown as typeof db.sweeper).run();
  const client = await db.sweeper.connect();
  try {
    // Without this setting, PostgreSQL reads a table this small as a whole.
    await client.query("set enable_seqscan = off");
    const { rows } = await client.query(`explain ${text}`, [new Date()]);
    expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(
      /call_ended_steps.*\n\s*Index Cond: \(\(closed_at <=/,
    );
  } finally {
    client.release(true);
  }
});
