import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  backtestLineSchema,
  explanationSchema,
  policyReportSchema,
  policySchema,
  whatIfSchema,
} from "./schemas/policy.ts";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const since = "2020-01-01T00:00:00.000Z";
const backtest = (as: string, candidate: object, more: object = {}) =>
  server.post("/v1/policy/backtest", as, { since, candidate, ...more });
const parseLines = (body: string) =>
  body
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

it("explains every ruling of a call to each principal who can see the call", async () => {
  const { body: call } = await server.call("billing.refund", { payment: "pay_1", cents: 1 });
  const { status, body } = await server.get(`/v1/calls/${call.call}/rulings`, "bot");
  expect(status).toBe(200);
  expect(explanationSchema.strict().parse(body)).toEqual(body);
  expect(body).toMatchObject({ call: call.call, capability: "billing.refund" });
  expect(body.rulings).toMatchObject([
    {
      ruling: "ask",
      moment: "admission",
      inForce: true,
      policies: [{ id: "high-risk-needs-a-person", sentence: "What is of high risk needs a person." }],
      unmet: [{ policy: "high-risk-needs-a-person", sentence: "Approval by one person." }],
      asked: { principal: { id: "bot", kind: "agent", owner: "ana" }, preview: true },
    },
  ]);
  expect((await server.get(`/v1/calls/${call.call}/rulings`, "bo")).status).toBe(200);
});

it("[TRUST 9] [TRUST 10] does not explain a call that the reader cannot see", async () => {
  const { body: call } = await server.call("notes.list", {});
  for (const [as, id] of [
    ["other", call.call],
    ["eve", call.call],
    ["bot", "call_nowhere"],
  ]) {
    const { status, body } = await server.get(`/v1/calls/${id}/rulings`, as);
    expect([status, body.code]).toEqual([404, "call-unknown"]);
  }
});

it("shows policy, its report and backtests only to administrators and auditors", async () => {
  for (const as of ["bot", "ana", "bo", "eve"]) {
    for (const path of ["/v1/policy", "/v1/policy/report"]) {
      const { status, body } = await server.get(path, as);
      expect([as, path, status, body.code]).toEqual([as, path, 403, "role-missing"]);
    }
    expect((await backtest(as, {})).body.code).toBe("role-missing");
  }
  const { status, body } = await server.get("/v1/policy", "audit");
  expect(status).toBe(200);
  expect(body).toMatchObject({ preset: "balanced", mode: "enforce", policies: [{ demands: "ask" }] });
  expect(policySchema.strict().parse(body)).toEqual(body);
});

it("rules on a request that another principal could send, without a preview and without a call", async () => {
  const ask = (as: string, body: object) => server.post("/v1/policy/what-if", as, body);
  const request = { principal: "bot", capability: "billing.refund", input: { payment: "pay_1", cents: 5 } };
  const before = (await server.get("/v1/calls", "audit")).body.calls.length;
  const { status, body } = await ask("audit", request);
  expect(status).toBe(200);
  expect(whatIfSchema.strict().parse(body)).toEqual(body);
  expect(body).toMatchObject({ ruling: "ask", policies: ["high-risk-needs-a-person"], previewed: true });
  expect((await server.get("/v1/calls", "audit")).body.calls).toHaveLength(before);
  for (const [as, change, code] of [
    ["bot", {}, "role-missing"],
    ["ana", {}, "role-missing"],
    ["audit", { principal: "eve" }, "body-invalid"],
    ["audit", { capability: "billing.nothing" }, "capability-unknown"],
    ["audit", { input: {} }, "input-invalid"],
  ] as const)
    expect([as, (await ask(as, { ...request, ...change })).body.code]).toEqual([as, code]);
});

it("reports on the last day by default", async () => {
  await server.call("notes.forbidden", { text: "x" });
  const { body } = await server.get("/v1/policy/report", "audit");
  expect(policyReportSchema.strict().parse(body)).toEqual(body);
  expect(Date.parse(body.until) - Date.parse(body.since)).toBe(86_400_000);
  expect(body.rulings.block).toBeGreaterThan(0);
  const { body: earlier } = await server.get(`/v1/policy/report?since=${since}&until=${since}`, "audit");
  expect(earlier).toMatchObject({ since, until: since, calls: 0 });
  const { status, body: problem } = await server.get("/v1/policy/report?since=yesterday", "audit");
  expect([status, problem.code]).toEqual([400, "parameter-invalid"]);
});

it("streams the progress of a backtest, and finally its result", async () => {
  await server.call("notes.list", {});
  const candidate = { sources: [{ file: "c", text: "block notes.list" }] };
  const { status, headers, body } = await backtest("audit", candidate);
  expect([status, headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  const lines = parseLines(body);
  expect(lines[0]).toMatchObject({ kind: "progress", done: 0 });
  const result = lines.at(-1);
  expect(result).toMatchObject({
    kind: "result",
    since,
    differences: expect.arrayContaining([
      expect.objectContaining({
        capability: "notes.list",
        was: "allow",
        wouldBe: "block",
        direction: "tighter",
      }),
    ]),
  });
  for (const line of lines) expect(backtestLineSchema.parse(line)).toEqual(line);
});

it("refuses a candidate that is not a valid policy set, and lists every fault", async () => {
  const { status, body } = await backtest("audit", { sources: [{ file: "c", text: "nonsense" }] });
  expect([status, body.code]).toEqual([422, "policy-invalid"]);
  expect(body.faults).toEqual([{ file: "candidate", line: 1, sentence: "it is nonsense" }]);
  for (const body of [{}, { since }, { since: "soon", candidate: {} }, { since, candidate: {}, extra: 1 }]) {
    expect((await server.post("/v1/policy/backtest", "audit", body)).status).toBe(422);
  }
});

it("[P10] a failed backtest reports only a code, in its last line and in the log", async () => {
  const lines = async function* () {
    yield { kind: "progress", done: 0, total: 9 } as const;
    throw new Error("secret in a message");
  };
  vi.spyOn(server.service.policy, "backtest").mockResolvedValueOnce({ kind: "running", lines: lines() });
  const before = server.lines.length;
  const { body } = await backtest("audit", {});
  expect(parseLines(body)).toEqual([
    { kind: "progress", done: 0, total: 9 },
    { kind: "failed", code: "internal" },
  ]);
  expect(server.lines.slice(before).map(({ code }) => code)).toContain("stream-failed");
  expect(JSON.stringify(server.lines)).not.toContain("secret");
});
