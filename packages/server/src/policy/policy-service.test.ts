// These tests cover the data that the policy tools read from the pipeline's records, with real policies and real rows.
import {
  admit,
  advance,
  Catalog,
  decide,
  defineCapability,
  type Enforcement,
  type Json,
  type Principal,
} from "@paraph/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import { createTestPipeline } from "../../../../test/support/test-pipeline.ts";
import type { NewBacktest } from "../http/schemas/policy.ts";
import {
  beginProcessLease,
  connectDatabase,
  createDatabaseClock,
  createPolicySetStore,
  PostgresStore,
  provision,
} from "../postgres/index.ts";
import { systemRandom } from "../system/system-random.ts";
import { assemblePolicyDocument, createCedarPolicy, loadPolicies } from "./cedar/index.ts";
import { createPolicyService } from "./policy-service.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
const clock = await createDatabaseClock(db.app);
afterAll(async () => {
  clock.stop();
  await lease.end();
  await db.close();
});

const pay = defineCapability({
  name: "bank.pay",
  version: 1,
  summary: "Pay",
  effect: "write",
  idempotency: "natural",
  input: z.object({ cents: z.int() }),
  output: z.object({}),
  preview: async ({ cents }) => ({ changes: [{ kind: "send", target: `${cents}` }], basis: {} }),
  apply: async () => ({}),
});
const capability = defineCapability({
  name: "bank.look",
  version: 1,
  summary: "Look",
  effect: "read",
  idempotency: "natural",
  input: z.object({}),
  output: z.object({}),
  apply: async () => ({}),
});
const catalog = new Catalog([pay, capability]);
const contracts = [pay.contract, capability.contract];
const document = assemblePolicyDocument({
  unattended: ["bank.pay"],
  sources: [
    {
      file: "policies/bank.cedar",
      text: `
@id("large") @ruling("ask") @quorum("1") @urgency("normal") @sentence("Large payments need a person.")
forbid (principal, action == Action::"bank.pay", resource) when { context.input.cents > 1000 }
unless { context.evidence.discharged.contains("large") };
@id("huge") @sentence("Huge payments are not made.")
forbid (principal, action == Action::"bank.pay", resource) when { context.input.cents > 1000000 };
@id("soon") @shadow @sentence("Soon.")
forbid (principal, action == Action::"bank.pay", resource) when { context.input.cents > 500 };`,
    },
  ],
});
const set = loadPolicies(document, contracts);

async function createProcessPorts(enforcement: Enforcement) {
  const pipeline = await createTestPipeline("policy-service");
  const ports = pipeline.ports({
    catalog,
    policy: createCedarPolicy(set),
    store: new PostgresStore(db.app, lease.number),
    random: systemRandom,
    clock,
  });
  return { ...ports, settings: { ...ports.settings, enforcement } };
}

const bot = (tenant: string): Principal => ({ tenant, id: "bot", kind: "agent", owner: "ana" });
const bo = (tenant: string): Principal => ({ tenant, id: "bo", kind: "person" });
const amounts = [5, 600, 5_000, 7_000, 5_000_000];

beforeAll(async () => {
  await provision(database.ownerUrl, async (p) => {
    for (const tenant of ["red", "blue"]) {
      await p.addTenant(tenant);
      await p.addPrincipal({ tenant, id: "ana", kind: "person" });
      await p.addPrincipal(bo(tenant));
      await p.addPrincipal(bot(tenant));
    }
  });
  await createPolicySetStore(db.app).configure(
    { version: set.version, document: document as unknown as Json },
    { leaseNumber: 1 },
  );
});

const neverPreviews = async () => {
  throw new Error("no test of this file asks what if");
};
const createTestService = async (enforcement: Enforcement) =>
  createPolicyService({ ports: await createProcessPorts(enforcement), database: db, preview: neverPreviews });
const enforce = { mode: "enforce", confirm: true } as const;
const observe = { mode: "observe", confirm: true } as const;

async function createCalls(tenant: string, enforcement: Enforcement) {
  const ports = await createProcessPorts(enforcement);
  const calls = [];
  for (const cents of amounts)
    calls.push(await admit({ principal: bot(tenant), capability: "bank.pay", input: { cents } }, ports));
  calls.push(await admit({ principal: bot(tenant), capability: "bank.look", input: {} }, ports));
  return calls.map(({ call }) => call);
}

async function runTestBacktest(tenant: string, candidate: Partial<NewBacktest["candidate"]>) {
  const wanted = {
    since: new Date(0).toISOString(),
    maxDifferences: 10,
    candidate: { sources: [], replace: false, ...candidate },
  };
  const started = await (await createTestService(enforce)).backtest(
    bo(tenant),
    wanted as never,
    new AbortController().signal,
  );
  if (started.kind === "invalid") return started;
  for await (const line of started.lines) if (line.kind === "result") return line;
  throw new Error("there was no result");
}

it("in observe mode the report counts the rulings that would have applied, and Paraph stops no call", async () => {
  const calls = await createCalls("blue", observe);
  expect(calls.every(({ state, outcome }) => state === "ready" || outcome?.kind === "succeeded")).toBe(true);
  const report = await (await createTestService(observe)).reportRulings(
    bo("blue"),
    Date.now() - 3_600_000,
    Date.now() + 1_000,
  );
  expect(report).toMatchObject({
    calls: 6,
    enforced: 0,
    rulings: { allow: 3, check: 0, ask: 2, block: 1 },
    byPolicy: [
      { policy: "large", ruling: "ask", calls: 2 },
      { policy: "huge", ruling: "block", calls: 1 },
      { policy: "large", ruling: "block", calls: 1 },
    ],
    byCapability: [
      { capability: "bank.pay", ruling: "ask", calls: 2 },
      { capability: "bank.pay", ruling: "block", calls: 1 },
    ],
  });
  expect(report.shadow).toEqual({
    calls: 4,
    byPolicy: expect.arrayContaining([{ policy: "soon", ruling: "block", calls: 4 }]),
  });
});

it("a backtest against the set that made the rulings changes none, enforced or observed", async () => {
  await createCalls("red", enforce);
  for (const tenant of ["red", "blue"]) {
    const result = await runTestBacktest(tenant, {});
    expect(result).toMatchObject({ calls: 6, evaluated: 6, changed: 0, unpreviewed: 0, notEvaluated: {} });
    expect(result).toMatchObject({
      byRuling: expect.arrayContaining([
        { was: "ask", wouldBe: "ask", calls: 2, otherPolicies: 0, otherApprovers: 0 },
      ]),
    });
  }
});

it("a backtest evaluates a candidate on top of the active set, instead of it, or with another preset", async () => {
  const text = '@id("no-looking") forbid (principal, action == Action::"bank.look", resource);';
  expect(await runTestBacktest("red", { sources: [{ file: "new.cedar", text }] })).toMatchObject({
    changed: 1,
    byPolicy: [{ policy: "no-looking", wouldBe: "block", calls: 1 }],
    differences: [{ capability: "bank.look", was: "allow", wouldBe: "block", policies: ["no-looking"] }],
  });
  // The same policy with another quorum has the same ruling, but other approvers.
  const stricter = document.sources.map((source) => ({
    ...source,
    text: source.text.replace('@quorum("1")', '@quorum("2") @group("finance")'),
  }));
  expect(await runTestBacktest("red", { sources: stricter })).toMatchObject({
    changed: 2,
    byRuling: expect.arrayContaining([
      { was: "ask", wouldBe: "ask", calls: 2, otherPolicies: 0, otherApprovers: 2 },
    ]),
    differences: [
      { approvers: { was: [{ quorum: 1 }], wouldBe: [{ quorum: 2, group: "finance" }] } },
      { approvers: { was: [{ quorum: 1 }], wouldBe: [{ quorum: 2, group: "finance" }] } },
    ],
  });
  // Without the active file, large payments pass, and only the preset rules on huge ones.
  for (const candidate of [
    { sources: [{ file: "policies/bank.cedar", text: "" }] },
    { sources: [], replace: true },
  ])
    expect(await runTestBacktest("red", candidate)).toMatchObject({ changed: 3, unpreviewed: 1 });
  expect(await runTestBacktest("red", { preset: "strict" })).toMatchObject({ evaluated: 6 });
  expect(await runTestBacktest("red", { sources: [{ file: "c.cedar", text: "permit" }] })).toMatchObject({
    kind: "invalid",
    faults: [{ file: "c.cedar", line: 1 }],
  });
});

it("a backtest counts a call whose input was erased as not evaluated", async () => {
  const [row] = await database.query(
    "delete from paraph.payload where tenant = 'red' and name = 'input' and body like '%7000%' returning call",
  );
  expect(row).toBeDefined();
  expect(await runTestBacktest("red", {})).toMatchObject({
    calls: 6,
    evaluated: 5,
    notEvaluated: { erased: 1 },
  });
});

it("explains a call from its first ruling to its last, with the approver who satisfied the guard", async () => {
  const ports = await createProcessPorts(enforce);
  const { call } = await admit(
    { principal: bot("red"), capability: "bank.pay", input: { cents: 2_000 } },
    ports,
  );
  const { approval } = call;
  await decide(
    { voter: bo("red"), approval: approval!.id, decision: "approve", digest: approval!.digest },
    ports,
  );
  await advance(call, ports);
  const done = await ports.store.load(call);
  expect(done?.outcome?.kind).toBe("succeeded");
  const { rulings } = await (await createTestService(enforce)).explainCall(done!);
  expect(rulings[0]).toMatchObject({
    ruling: "ask",
    moment: "admission",
    inForce: true,
    policies: [{ id: "large", sentence: "Large payments need a person." }],
    unmet: [{ policy: "large", sentence: "Approval by one person." }],
    asked: { principal: { id: "bot", owner: "ana" }, preview: true },
    shadow: { kind: "block" },
  });
  expect(rulings.at(-1)).toMatchObject({
    ruling: "allow",
    satisfied: [{ policy: "large", by: "people", who: ["bo"] }],
    unmet: [],
  });
});

it("shows the active policy set, policy by policy", async () => {
  const shown = await (await createTestService(observe)).readActivePolicy(bo("red"));
  expect(shown).toMatchObject({ version: set.version, mode: "observe", preset: "balanced" });
  expect(shown.policies).toContainEqual({
    id: "large",
    file: "policies/bank.cedar",
    line: 2,
    effect: "forbid",
    demands: "ask",
    quorum: 1,
    shadow: false,
    sentence: "Large payments need a person.",
  });
  expect(shown.policies).toContainEqual(expect.objectContaining({ id: "soon", shadow: true }));
});
