// Tests that Paraph does not have the problems of which users of other systems complain (TRUST.md). The tests use real
// processes. Each test has the name of its complaint.
import { afterAll, beforeEach, expect, it } from "vitest";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { type TestCallView, TestClient } from "./support/test-client.ts";

const cluster = await TestCluster.start();
afterAll(() => cluster.stop());
const { oracle, database } = cluster;
let serving = await cluster.startProcess("api,worker");
let client = new TestClient(serving.url, cluster.keys);

beforeEach(() => {
  oracle.beforeEffect = async () => {};
  oracle.afterEffect = async () => {};
});

const asked = async (name: string, more: object = {}): Promise<TestCallView> => {
  const body = { capability: "asked.keyed", input: { name }, ...more };
  const { body: call } = await client.request("agent", "POST", "/v1/calls", body);
  expect(call.waiting).toMatchObject({ for: "approval" });
  return call;
};
const roundOf = (call: TestCallView) => call.waiting!.approval!;
const decide = (call: TestCallView, decision: string, more: object = {}) =>
  client.request("owner", "POST", `/v1/approvals/${roundOf(call).id}/decision`, {
    decision,
    digest: roundOf(call).digest,
    ...more,
  });
const edit = (call: TestCallView, body: object) =>
  client.request("owner", "POST", `/v1/approvals/${roundOf(call).id}/edit`, {
    digest: roundOf(call).digest,
    ...body,
  });
const look = async (call: string) => (await client.request("agent", "GET", `/v1/calls/${call}`)).body;

it("langchain 37093, mastra 20470: a denied or returned call is not executed", async () => {
  for (const [decision, code] of [
    ["deny", "denied"],
    ["return", "returned"],
  ] as const) {
    const call = await asked(decision);
    await decide(call, decision, { reason: "do something else" });
    expect(await client.waitForOutcome(call.call)).toMatchObject({ outcome: { kind: "denied", code } });
    expect((await decide(call, "approve")).status).toBe(409);
    expect(oracle.listEffects(call.call)).toEqual([]);
  }
});

it("langchain 40166: an edit cannot become a call of another capability", async () => {
  const call = await asked("lamp");
  const edited = await edit(call, { capability: "asked.none", input: { name: "lamp" } });
  expect(edited).toMatchObject({ status: 422, body: { code: "body-invalid" } });
  expect(await look(call.call)).toMatchObject({ waiting: { for: "approval" } });
});

it("langchain 33787: after an edit the original call does not run, and the agent can read its successor", async () => {
  const call = await asked("first");
  const { body: next } = await edit(call, { input: { name: "second" }, reason: "the other one" });
  await client.approve(next);
  await client.waitForOutcome(next.call);
  expect(await look(call.call)).toMatchObject({
    outcome: { kind: "superseded", code: "edited" },
    successor: next.call,
    editedBy: "owner",
    reason: "the other one",
  });
  expect(oracle.listEffects(call.call)).toEqual([]);
  expect(oracle.listEffects(next.call)).toMatchObject([{ name: "second" }]);
});

it("langgraph 5952: parallel approvals are decided independently, and a decided one is no longer listed", async () => {
  const calls = await Promise.all(["a", "b", "c"].map((name) => asked(name)));
  await client.approve(calls[1]!);
  await client.waitForOutcome(calls[1]!.call);
  expect((await look(calls[0]!.call)).state).toBe("asking");
  expect((await look(calls[2]!.call)).state).toBe("asking");
  const { approvals } = (await client.request("owner", "GET", "/v1/approvals")).body as unknown as {
    approvals: { call: string }[];
  };
  expect(approvals.map(({ call }) => call)).not.toContain(calls[1]!.call);
});

it("mastra 19633: a stale approval does not apply to another call", async () => {
  const [one, other] = [await asked("same"), await asked("same")];
  const stolen = await client.decide(roundOf(other).id, { decision: "approve", digest: roundOf(one).digest });
  expect([stolen.status, stolen.body.code]).toEqual([409, "approval-changed"]);
  expect(roundOf(one).digest).not.toBe(roundOf(other).digest);
  expect(oracle.listEffects(other.call)).toEqual([]);
});

it("mastra 19301: a decision after a cold restart of every process resumes the call", async () => {
  const call = await asked("cold");
  await serving.kill();
  serving = await cluster.startProcess("api,worker");
  client = new TestClient(serving.url, cluster.keys);
  expect((await client.approve(call)).status).toBe(200);
  expect(await client.waitForOutcome(call.call)).toMatchObject({ outcome: { kind: "succeeded" } });
  expect(oracle.listEffects(call.call)).toHaveLength(1);
});

it("openai-agents-js 1097: an approver can edit arguments, and Paraph enforces their types", async () => {
  const call = await asked("typed");
  const wrong = await edit(call, { input: { name: 7 } });
  expect([wrong.status, wrong.body.code]).toEqual([422, "input-invalid"]);
  const { body: next } = await edit(call, { input: { name: "7" } });
  expect(next.input).toMatchObject({ name: "7" });
});

it("vercel/ai 16068: the requesting client cannot forge an approval", async () => {
  const call = await asked("forged");
  const path = `/v1/approvals/${roundOf(call).id}/decision`;
  const body = { decision: "approve", digest: roundOf(call).digest };
  expect((await client.request("agent", "POST", path, body)).status).toBe(403);
  const claims = { ...body, voter: "owner", as: "approver" };
  expect((await client.request("owner", "POST", path, claims)).status).toBe(422);
  expect((await look(call.call)).state).toBe("asking");
});

it("adk-python 6732: every parallel call returns its result after a pause", async () => {
  const calls = await Promise.all(Array.from({ length: 8 }, (_, n) => asked(`parallel-${n}`)));
  await Promise.all(calls.map((call) => client.approve(call)));
  for (const call of calls)
    expect(await client.waitForOutcome(call.call)).toMatchObject({
      outcome: { kind: "succeeded" },
      output: { done: true },
    });
  for (const call of calls) expect(oracle.listEffects(call.call)).toHaveLength(1);
});

it("composio 3654: retries do not double side effects", async () => {
  const body = { capability: "asked.keyed", input: { name: "retried" } };
  const again = () => client.call(body.capability, body.input, { key: "once" });
  const [{ body: first }, { body: second }] = [await again(), await again()];
  expect(second.call).toBe(first.call);
  await Promise.all(Array.from({ length: 5 }, () => client.approve(first)));
  await client.waitForOutcome(first.call);
  await again();
  expect(oracle.listEffects(first.call)).toHaveLength(1);
});

it("activepieces 14024: a scanner's GET or HEAD request does not use up an approval", async () => {
  const call = await asked("scanned");
  const { id } = roundOf(call);
  for (const path of [
    `/v1/approvals/${id}`,
    `/approvals/${id}`,
    `/approvals/${id}/edit`,
    `/approvals/${id}/decision`,
  ])
    for (const method of ["GET", "HEAD"]) await fetch(serving.url + path, { method, redirect: "manual" });
  expect((await look(call.call)).state).toBe("asking");
  expect((await client.approve(call)).status).toBe(200);
});

it("preloop 555: an approval window is a row, and holds to its end beyond any process or connection", async () => {
  const call = await asked("patient");
  // Eight of the ten minutes pass, and the test replaces every process during that time.
  const clock = (minutes: number) =>
    database.query(
      `create or replace function paraph.now() returns timestamptz language sql volatile as 'select clock_timestamp() + make_interval(mins => ${minutes})'`,
    );
  await serving.kill();
  await clock(8);
  serving = await cluster.startProcess("api,worker");
  client = new TestClient(serving.url, cluster.keys);
  expect((await client.approve(call)).status).toBe(200);
  expect(await client.waitForOutcome(call.call)).toMatchObject({ outcome: { kind: "succeeded" } });
  await clock(0);
  expect(oracle.listEffects(call.call)).toHaveLength(1);
});

it("agent-governance-toolkit 3126: a quorum requires votes of distinct people", async () => {
  const call = await asked("two", { requirements: { people: 2 } });
  expect((await client.approve(call)).status).toBe(200);
  await client.approve(call);
  expect(await look(call.call)).toMatchObject({ state: "asking" });
  expect(oracle.listEffects(call.call)).toEqual([]);
  await decide(call, "deny");
});

it("[human.ask] an agent asks a person, and the person's answer is the output", async () => {
  const input = { question: "Which colour?", kind: "choice", options: ["red", "green"] };
  const { body: call } = await client.call("human.ask", input);
  expect(call.waiting).toMatchObject({ for: "approval" });
  for (const answer of [undefined, "blue", true])
    expect((await decide(call, "approve", { answer })).body.code).toBe("input-invalid");
  expect((await decide(call, "approve", { answer: "green" })).status).toBe(200);
  expect(await client.waitForOutcome(call.call)).toMatchObject({ output: { answer: "green", by: "owner" } });
  const other = await asked("no answer");
  expect((await decide(other, "approve", { answer: "x" })).body.code).toBe("input-invalid");
});

it("[TRUST 4] exactly one of 1,000 decisions of 250 concurrent callers on one approval counts", async () => {
  const call = await asked("contended");
  // More connections at once than the server's backlog would time out on a busy machine before the server sees them.
  const callers = Array.from({ length: 250 }, async () => [
    await decide(call, "approve"),
    await decide(call, "deny"),
    await decide(call, "approve"),
    await decide(call, "deny"),
  ]);
  const answers = (await Promise.all(callers)).flat();
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(999);
  const { outcome } = await client.waitForOutcome(call.call);
  expect(oracle.listEffects(call.call)).toHaveLength(outcome?.kind === "succeeded" ? 1 : 0);
});
