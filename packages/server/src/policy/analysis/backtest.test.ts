import { type Capability, defineCapability, type Guard, type PolicySet } from "@paraph/core";
import { createPlainPolicy } from "@paraph/core/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { type BacktestResult, backtestPolicies } from "./backtest.ts";
import type { CallHistory, PastCall, RecordedRuling } from "./past-call.ts";
import { compareRulings } from "./ruling-direction.ts";

const createCapability = (name: string, previews = false): Capability =>
  defineCapability({
    name,
    version: 1,
    summary: "Pays",
    effect: "write",
    idempotency: "natural",
    input: z.object({ cents: z.int() }),
    output: z.object({}),
    apply: async () => ({}),
    ...(previews && { preview: async () => ({ changes: [], basis: {} }) }),
  });
const catalog = new Map(
  [createCapability("bank.pay"), createCapability("bank.send", true)].map((one) => [one.contract.name, one]),
);
const allowed: RecordedRuling = { kind: "allow", policies: ["permitted"] };

let calls = 0;
function createPastCall(cents: number, change: Partial<PastCall> = {}, name = "bank.pay"): PastCall {
  return {
    call: `call_${++calls}`,
    capability: name,
    contractDigest: catalog.get(name)!.contractDigest,
    requirements: [],
    openedAt: Date.UTC(2026, 1, 1 + Math.floor(calls / 4)),
    was: allowed,
    granted: false,
    recorded: true,
    input: { cents },
    request: {
      version: "then",
      discharged: [],
      preview: false,
      principal: { id: "bot", kind: "agent", groups: [] },
    },
    ...change,
  };
}

const createLimitPolicy = (limit: number): PolicySet =>
  createPlainPolicy({
    "bank.pay": { ask: 1, when: ({ input }) => (input as { cents: number }).cents > limit },
    "bank.send": "allow",
  });

async function backtestCalls(
  calls: readonly PastCall[],
  set: PolicySet,
  maxDifferences = 10,
): Promise<BacktestResult> {
  const history: CallHistory = {
    count: async () => calls.length,
    pages: async function* () {
      for (let at = 0; at < calls.length; at += 3) yield calls.slice(at, at + 3);
    },
  };
  const events = backtestPolicies(set, {
    load: (set: PolicySet) => set,
    history,
    since: 0,
    until: 1,
    maxDifferences,
    confirm: true,
    tenant: "acme",
    capability: (name) => catalog.get(name),
  });
  let done = -1;
  for await (const event of events) {
    if (event.kind === "result") return event;
    expect(event.done).toBeGreaterThan(done);
    expect(event.total).toBe(calls.length);
    done = event.done;
  }
  throw new Error("there was no result");
}

it("counts the calls whose ruling would change, by ruling and by policy, and lists the newest", async () => {
  const amounts = [100, 5_000, 200, 9_000, 300, 7_000, 400];
  const result = await backtestCalls(
    amounts.map((cents) => createPastCall(cents)),
    createLimitPolicy(1_000),
    2,
  );
  expect(result).toMatchObject({ calls: 7, evaluated: 7, changed: 3, notEvaluated: {}, unpreviewed: 0 });
  expect(result.byRuling).toEqual([
    { was: "allow", wouldBe: "allow", calls: 4, otherPolicies: 0, otherApprovers: 0 },
    { was: "allow", wouldBe: "ask", calls: 3, otherPolicies: 3, otherApprovers: 0 },
  ]);
  expect(result.byPolicy).toEqual([{ policy: "bank.pay", wouldBe: "ask", calls: 3 }]);
  expect(result.differences).toMatchObject([
    { was: "allow", wouldBe: "ask", policies: ["bank.pay"] },
    { was: "allow", wouldBe: "ask", policies: ["bank.pay"] },
  ]);
  expect(result.differences[0]!.call > result.differences[1]!.call).toBe(true);
});

it("lists first what people denied and the candidate would allow, then looser rulings, and counts them by day", async () => {
  const day = (date: number) => Date.UTC(2026, 1, date, 23, 59);
  const asked: RecordedRuling = { kind: "ask", policies: ["older-guard"] };
  const result = await backtestCalls(
    [
      createPastCall(1, { was: asked, openedAt: day(1), outcome: "denied" }),
      createPastCall(2, { was: asked, openedAt: day(1), outcome: "succeeded" }),
      createPastCall(9_000, { openedAt: day(1), outcome: "succeeded" }),
      createPastCall(9_001, { openedAt: day(3), outcome: "denied" }),
      createPastCall(9_002, { openedAt: day(3) }),
    ],
    createLimitPolicy(1_000),
    3,
  );
  expect(result).toMatchObject({
    changed: 5,
    directions: { looser: 2, tighter: 3, other: 0 },
    allowedAgainstDenial: 1,
    days: [
      { day: "2026-02-01", looser: 2, tighter: 1, other: 0 },
      { day: "2026-02-03", looser: 0, tighter: 2, other: 0 },
    ],
    differences: [
      { direction: "looser", wasDenied: true, principal: "bot", openedAt: day(1) },
      { direction: "looser", openedAt: day(1) },
      { direction: "tighter", openedAt: day(3) },
    ],
  });
});

it.each([
  ["more people", [{ quorum: 1 }], [{ quorum: 2 }], "tighter"],
  ["a group instead of anyone", [{ quorum: 1 }], [{ quorum: 1, group: "finance" }], "tighter"],
  ["one demand less", [{ quorum: 1 }, { quorum: 1, group: "finance" }], [{ quorum: 1 }], "looser"],
  ["anyone instead of a group", [{ quorum: 2, group: "finance" }], [{ quorum: 2 }], "looser"],
  ["another group", [{ quorum: 1, group: "finance" }], [{ quorum: 1, group: "ops" }], "other"],
  ["fewer people of a group", [{ quorum: 2 }], [{ quorum: 1, group: "finance" }], "other"],
])("compares the people who are asked: %s", (_, was, wouldBe, direction) => {
  const compared = compareRulings({ kind: "ask", approvers: was }, { kind: "ask", approvers: wouldBe });
  expect(compared).toBe(direction);
});

it("does not count a call as changed if other policies give the same ruling", async () => {
  const was: RecordedRuling = { kind: "ask", policies: ["older-guard"] };
  const result = await backtestCalls([createPastCall(5_000, { was })], createLimitPolicy(1_000));
  expect(result).toMatchObject({
    changed: 0,
    byRuling: [{ was: "ask", wouldBe: "ask", otherPolicies: 1, otherApprovers: 0 }],
  });
});

it("skips calls that it cannot evaluate: erased, not recorded, another contract, a grant, no environment", async () => {
  const { input: _input, ...noInput } = createPastCall(1);
  const { request: _request, ...noRequest } = createPastCall(1);
  const seen = { ...createPastCall(1).request!, preview: true };
  const unseen = createPastCall(1, { request: seen }, "bank.send");
  const calls = [
    ...[
      noInput,
      noRequest,
      unseen,
      createPastCall(1, { recorded: false }),
      createPastCall(1, { contractDigest: "other" }),
    ],
    ...[
      createPastCall(1, { capability: "bank.gone" }),
      createPastCall(9_000, { granted: true }),
      createPastCall(1, { granted: true }),
    ],
  ];
  expect(await backtestCalls(calls, createLimitPolicy(1_000))).toMatchObject({
    calls: 8,
    evaluated: 1,
    changed: 0,
    notEvaluated: { erased: 3, "not-recorded": 1, "contract-changed": 2, granted: 1 },
  });
  const clocked: PolicySet = { ...createLimitPolicy(1_000), readsEnvironment: () => true };
  const env = { at: 0, callsLastHour: 1, callsLastDay: 1, spentToday: 0, deniedLastHour: 0 };
  expect(
    await backtestCalls(
      [createPastCall(1), createPastCall(1, { request: { ...createPastCall(1).request!, env } })],
      clocked,
    ),
  ).toMatchObject({ evaluated: 1, notEvaluated: { "environment-not-recorded": 1 } });
});

it("evaluates a call that was blocked before its preview by the first ruling, and counts it as unpreviewed", async () => {
  const was: RecordedRuling = { kind: "block", policies: ["blocked"] };
  const calls = [createPastCall(1, { was }, "bank.send")];
  expect(await backtestCalls(calls, createLimitPolicy(1))).toMatchObject({ changed: 1, unpreviewed: 1 });
  expect(await backtestCalls(calls, createPlainPolicy({}))).toMatchObject({ changed: 0, unpreviewed: 0 });
});

it("evaluates the recorded principal, preview, environment and requirements, without evidence", async () => {
  const asked: unknown[] = [];
  const set = createLimitPolicy(1_000_000);
  const spy: PolicySet = {
    ...set,
    evaluate: (question) => {
      asked.push(question);
      return set.evaluate(question);
    },
  };
  const env = { at: 7, callsLastHour: 1, callsLastDay: 2, spentToday: 3, deniedLastHour: 4 };
  const principal = { id: "bot", kind: "agent", groups: ["finance"], owner: "ana" } as const;
  const preview = { changes: [{ kind: "send", target: "bank" }], basis: {} } as const;
  const request = { version: "then", discharged: ["met-then"], preview: true, principal, env };
  const own: Guard = { id: "mine", ruling: "ask", quorum: 1, urgency: "normal", sentence: "Mine." };
  const call = createPastCall(1, { preview, request, requirements: [own] }, "bank.send");
  const { byRuling } = await backtestCalls([call], spy);
  expect(byRuling).toMatchObject([{ was: "allow", wouldBe: "ask" }]);
  expect(asked[0]).toMatchObject({
    principal: { ...principal, tenant: "acme" },
    preview,
    env,
    discharged: [],
  });
});

it("[P11] throws at once if the candidate does not load, and stops when its signal aborts", async () => {
  const options = {
    since: 0,
    until: 1,
    maxDifferences: 1,
    confirm: true,
    tenant: "acme",
    capability: () => undefined,
    history: {
      count: async () => 9,
      pages: async function* () {
        for (;;) yield [createPastCall(1)];
      },
    },
  };
  const load = () => {
    throw new Error("not a set of policies");
  };
  expect(() => backtestPolicies("nonsense", { ...options, load })).toThrow("not a set of policies");
  const stopping = new AbortController();
  const run = async () => {
    for await (const { kind } of backtestPolicies(createLimitPolicy(1), {
      ...options,
      load: (set) => set,
      signal: stopping.signal,
    }))
      if (kind === "progress") stopping.abort(new Error("enough"));
  };
  await expect(run()).rejects.toThrow("enough");
});

it("lists a call that would need other approvers, although people are asked in both cases", async () => {
  const guard = (quorum: number, group?: string): Guard => ({
    id: "bank.pay",
    ruling: "ask",
    quorum,
    urgency: "normal",
    sentence: "",
    ...(group !== undefined && { group }),
  });
  const asked = (...guards: Guard[]): RecordedRuling => ({ kind: "ask", policies: ["bank.pay"], guards });
  const calls = [asked(guard(1)), asked(guard(2)), asked(guard(1, "finance")), asked(guard(1), guard(1))];
  const result = await backtestCalls(
    calls.map((was) => createPastCall(100, { was })),
    createLimitPolicy(10),
  );
  expect(result).toMatchObject({
    changed: 2,
    byRuling: [{ was: "ask", wouldBe: "ask", calls: 4, otherApprovers: 2 }],
    differences: [
      { approvers: { was: [{ quorum: 1, group: "finance" }], wouldBe: [{ quorum: 1 }] } },
      { approvers: { was: [{ quorum: 2 }], wouldBe: [{ quorum: 1 }] } },
    ],
  });
});
