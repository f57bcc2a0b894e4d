import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestResponse, TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const claimToken = "ticket-of-this-taking";
const input = { text: "hello" };
const readCode = ({ status, body }: TestResponse) => [status, body.code];
const take = (call: string, more: object = {}, as = "bot") =>
  server.post(`/v1/calls/${call}/claim`, as, { claimToken, ...more });
const report = (call: string, more: object, as = "bot") =>
  server.post(`/v1/calls/${call}/report`, as, { claimToken, ...more });
const offered = async () => {
  const { body } = await server.call("own.post", input, { prefer: "wait=60" });
  return body;
};

it("a call that the agent performs waits for the claim, and the server tells a waiting agent at once", async () => {
  const call = await offered();
  expect(call).toMatchObject({ state: "offered", performer: "agent", waiting: { for: "agent" } });
  expect(call.waiting.how).toContain(`POST /v1/calls/${call.call}/claim`);
  expect(Date.parse(call.waiting.until)).toBeGreaterThan(Date.parse(call.createdAt));
  const again = await server.get(`/v1/calls/${call.call}`, "bot", { prefer: "wait=60" });
  expect([again.status, again.body.state]).toEqual([202, "offered"]);
});

it("a call that the agent claims, performs and reports closes with a receipt that names the performer", async () => {
  const { call } = await offered();
  const response = await take(call);
  expect(response.status).toBe(200);
  expect(response.body).toMatchObject({ call: { state: "performing" }, perform: { attempt: 1, input } });
  expect(response.body.perform.withinMs).toBeLessThanOrEqual(30_000);
  expect((await take(call)).body.perform).toMatchObject({ deadline: response.body.perform.deadline });
  expect(readCode(await take(call, { claimToken: "ticket-of-another" }))).toEqual([409, "already-claimed"]);

  const said = { as: "succeeded", output: { posted: "p1" } };
  expect(readCode(await report(call, { ...said, claimToken: "ticket-of-another" }))).toEqual([
    409,
    "not-claimed",
  ]);
  const ended = await report(call, said);
  expect(ended.body).toMatchObject({
    outcome: { kind: "succeeded", code: "done" },
    output: { posted: "p1" },
    performer: "agent",
  });
  expect((await report(call, said)).status).toBe(200);
  expect(readCode(await report(call, { as: "not-performed" }))).toEqual([409, "call-closed"]);
  const { body: receipt } = await server.get(`/v1/calls/${call}/receipt`, "bot");
  const { predicate } = JSON.parse(Buffer.from(receipt.envelope.payload, "base64").toString());
  expect(predicate.performer).toBe("agent");
});

it("[P8] a `not-performed` report closes the call as failed, and an `ambiguous` report as unknown", async () => {
  for (const [said, outcome] of [
    [
      { as: "not-performed", code: "no-route", message: "no way" },
      { kind: "failed", code: "no-route" },
    ],
    [{ as: "ambiguous" }, { kind: "unknown", code: "ambiguous" }],
  ] as const) {
    const { call } = await offered();
    await take(call);
    expect((await report(call, said)).body.outcome).toEqual(outcome);
  }
});

it("[P4] the agent can claim a call neither before its approval nor after its denial", async () => {
  const { body } = await server.call("own.publish", input);
  expect(readCode(await take(body.call))).toEqual([409, "not-offered"]);
  const { id, digest } = body.waiting.approval;
  expect((await server.get(`/v1/approvals/${id}`, "bo")).body.contract.performer).toBe("agent");
  await server.post(`/v1/approvals/${id}/decision`, "bo", { digest, decision: "deny" });
  expect(readCode(await take(body.call))).toEqual([409, "call-closed"]);
  expect(readCode(await report(body.call, { as: "succeeded", output: { posted: "x" } }))).toEqual([
    ...[409, "call-closed"],
  ]);
});

it("[TRUST 9] only the requester can claim or report a call, even if others may read it", async () => {
  const { call } = await offered();
  for (const as of ["bo", "eve"]) {
    expect(readCode(await take(call, {}, as))).toEqual([404, "call-unknown"]);
    const said = { as: "succeeded", output: { posted: "x" } };
    expect(readCode(await report(call, said, as))).toEqual([404, "call-unknown"]);
  }
  expect((await server.get(`/v1/calls/${call}`, "bo")).body.state).toBe("offered");
});

it("[TRUST 21] an API key without the capability's scope cannot claim its calls", async () => {
  const { call } = await offered();
  server.service.narrow("key-bot", ["calls:notes.*"]);
  expect(readCode(await take(call))).toEqual([403, "scope-missing"]);
  server.service.narrow("key-bot", undefined);
});

it.each<[string, object]>([
  ["no ticket", { claimToken: undefined, as: "ambiguous" }],
  ["a ticket that is none", { claimToken: "short", as: "ambiguous" }],
  ["a success without output", { as: "succeeded" }],
  ["another word", { as: "permanent" }],
  ["more than there is", { as: "ambiguous", output: {} }],
])("[P11] a report with %s is refused", async (_, said) => {
  const { call } = await offered();
  await take(call);
  expect(readCode(await report(call, said))).toEqual([422, "body-invalid"]);
});

it("the contract names the performer", async () => {
  const one = await server.get("/v1/capabilities/own.post", "bot");
  expect(one.body.performer).toBe("agent");
  const { body } = await server.get("/v1/capabilities", "bot");
  const performers = body.capabilities.map(({ name, performer }: Record<string, string>) => [
    name,
    performer,
  ]);
  expect(performers).toContainEqual(["own.post", "agent"]);
  expect(performers).toContainEqual(["notes.list", undefined]);
});
