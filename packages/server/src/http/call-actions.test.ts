import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const refund = async (payment = "pay_4711", more: object = {}) => {
  const { body } = await server.post("/v1/calls", "bot", {
    capability: "billing.refund",
    input: { payment, cents: 1250 },
    ...more,
  });
  return { call: body.call as string, ...(body.waiting.approval as { id: string; digest: string }) };
};
const readCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

it("[P6] an edit creates a successor, keeps masked values, and shows the agent the input, editor and reason", async () => {
  const { id, call, digest } = await refund("pay_secret_9");
  const edited = await server.post(`/v1/approvals/${id}/edit`, "bo", {
    digest,
    input: { payment: "•••", cents: 900 },
    reason: "Only the lamp.",
  });
  expect(edited.status).toBe(200);
  expect(edited.body).toMatchObject({
    supersedes: call,
    editedBy: "bo",
    input: { payment: "•••", cents: 900 },
  });
  const old = await server.get(`/v1/calls/${call}`, "bot");
  expect(old.body).toMatchObject({
    outcome: { kind: "superseded", code: "edited" },
    successor: edited.body.call,
    editedBy: "bo",
    reason: "Only the lamp.",
  });
  const next = await server.get(`/v1/calls/${edited.body.call}`, "bot");
  expect(next.body.input).toEqual({ payment: "pay_secret_9", cents: 900 });
  expect(readCode(await server.post(`/v1/approvals/${id}/edit`, "bo", { digest, input: {} }))).toEqual([
    409,
    "approval-closed",
  ]);
});

it("[P6] [TRUST 14] an invalid or unauthorized edit, or a change of capability, is refused; the approval stays open", async () => {
  const { id, digest } = await refund();
  const edit = (body: object, as = "bo") => server.post(`/v1/approvals/${id}/edit`, as, { digest, ...body });
  expect(readCode(await edit({ input: { payment: "p", cents: "900" } }))).toEqual([422, "input-invalid"]);
  expect(readCode(await edit({ input: { other: "•••", cents: 9 } }))).toEqual([422, "input-invalid"]);
  const other = { capability: "notes.append", input: { text: "x" } };
  expect(readCode(await edit(other))).toEqual([422, "body-invalid"]);
  expect(readCode(await edit({ input: {} }, "eve"))).toEqual([404, "approval-unknown"]);
  expect(readCode(await edit({ input: { payment: "p", cents: 1 } }, "bot"))).toEqual([
    403,
    "approver-not-allowed",
  ]);
  expect((await server.get(`/v1/approvals/${id}`, "bo")).body.status).toBe("open");
});

it("an agent whose call is returned receives the approver's instructions", async () => {
  const { id, call, digest } = await refund();
  const returned = await server.post(`/v1/approvals/${id}/decision`, "bo", {
    digest,
    decision: "return",
    reason: "Ask for the slip first.",
  });
  expect(returned.status).toBe(200);
  expect((await server.get(`/v1/calls/${call}`, "bot")).body).toMatchObject({
    outcome: { kind: "denied", code: "returned" },
    instructions: "Ask for the slip first.",
  });
});

it("[TRUST 19] a duplicate of an open call in the same session joins it, and the response says so", async () => {
  const session = { session: { session: "chat-1" } };
  const first = await refund("pay_twin", session);
  const again = await server.post("/v1/calls", "bot", {
    capability: "billing.refund",
    input: { payment: "pay_twin", cents: 1250 },
    ...session,
  });
  expect([again.status, again.body.call, again.body.joinedDuplicate]).toEqual([202, first.call, true]);
});

it("only the requester and its owner can withdraw a call", async () => {
  const { call, id, digest } = await refund();
  const withdraw = (as: string) =>
    server.post(`/v1/calls/${call}/withdrawal`, as, { reason: "Not needed any more." });
  expect(readCode(await withdraw("other"))).toEqual([404, "call-unknown"]);
  expect(readCode(await withdraw("bo"))).toEqual([404, "call-unknown"]);
  expect((await withdraw("ana")).body.outcome).toEqual({ kind: "cancelled", code: "withdrawn" });
  expect(readCode(await withdraw("bot"))).toEqual([409, "call-closed"]);
  const response = await server.post(`/v1/approvals/${id}/decision`, "bo", { digest, decision: "approve" });
  expect(readCode(response)).toEqual([409, "approval-closed"]);
});

it("decides several approvals of one capability separately, and refuses a mix of capabilities", async () => {
  const some = [await refund("a1"), await refund("a2"), await refund("a3")];
  const burn = (await server.call("notes.burn", { text: "x" })).body;
  const decisions = some.map(({ id, digest }, index) => ({
    approval: id,
    digest: index === 1 ? "0".repeat(64) : digest,
    decision: index === 2 ? "deny" : "approve",
  }));
  const mixed = {
    approval: burn.waiting.approval.id,
    digest: burn.waiting.approval.digest,
    decision: "approve",
  };
  const post = (given: object[], as = "bo") =>
    server.post("/v1/approvals/decisions", as, { decisions: given });
  expect(readCode(await post([...decisions, mixed]))).toEqual([422, "body-invalid"]);
  const { status, body } = await post(decisions);
  expect(status).toBe(200);
  expect(body.results).toMatchObject([
    { call: some[0]!.call, state: "ready" },
    { problem: { code: "approval-changed" } },
    { call: some[2]!.call, state: "closed" },
  ]);
  expect(readCode(await post(decisions, "eve"))).toEqual([404, "approval-unknown"]);
  expect((await post([])).status).toBe(422);
});

it("people comment and ask, and the requester answers; events contain only the ids of messages", async () => {
  const { call } = await refund();
  const say = (as: string, kind: string, text: string, key?: string) =>
    server.post(`/v1/calls/${call}/messages`, as, { kind, text }, key ? { "idempotency-key": key } : {});
  const hostile = "<script>alert(1)</script> \u202eevil";
  const response = await say("bo", "question", hostile, "q1");
  expect([response.status, response.body.text]).toEqual([200, hostile]);
  expect((await say("bo", "question", hostile, "q1")).body.message).toBe(response.body.message);
  expect(readCode(await say("bo", "question", "something else", "q1"))).toEqual([409, "key-reused"]);
  expect((await say("bot", "answer", "It is back.")).status).toBe(200);
  expect(readCode(await say("bot", "comment", "x"))).toEqual([403, "approver-not-allowed"]);
  expect(readCode(await say("bo", "answer", "x"))).toEqual([403, "approver-not-allowed"]);
  expect(readCode(await say("other", "answer", "x"))).toEqual([404, "call-unknown"]);
  const { body } = await server.get(`/v1/calls/${call}/messages?after=1`, "bot");
  expect(body.messages).toMatchObject([{ seq: 2, by: "bot", kind: "answer", text: "It is back." }]);
  const { events } = (await server.get(`/v1/calls/${call}/events`, "bot")).body;
  const said = events.filter(({ type }: { type: string }) => type === "dev.paraph.call.commented.v1");
  expect(said).toHaveLength(2);
  expect(said[0].data).toEqual({ message: response.body.message, by: "bo", as: "question" });
  expect(JSON.stringify(events)).not.toContain("alert");
});

it("a person names their own delegate, for 90 days at most", async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const name = (as: string, body: object) => server.post("/v1/delegations", as, { until, ...body });
  const response = await name("bo", { delegate: "ana" });
  expect([response.status, response.body.person, response.body.delegate]).toEqual([200, "bo", "ana"]);
  expect(readCode(await name("bo", { person: "ana", delegate: "audit" }))).toEqual([422, "body-invalid"]);
  const late = new Date(Date.now() + 91 * 24 * 3_600_000).toISOString();
  expect(readCode(await name("bo", { delegate: "ana", until: late }))).toEqual([422, "body-invalid"]);
  expect(readCode(await name("bo", { delegate: "bot" }))).toEqual([422, "body-invalid"]);
  expect(readCode(await name("bo", { delegate: "bo" }))).toEqual([422, "body-invalid"]);
  expect(readCode(await name("bot", { delegate: "bo" }))).toEqual([403, "approver-not-allowed"]);
  expect(readCode(await name("bo", { delegate: "ana", until: "2020-01-01T00:00:00Z" }))).toEqual([
    422,
    "body-invalid",
  ]);
  const path = `/v1/delegations/${response.body.delegation}`;
  const end = async (as: string) => (await server.fetch(path, { as, method: "DELETE" })).status;
  expect((await server.get("/v1/delegations", "ana")).body.delegations).toHaveLength(1);
  expect((await server.get("/v1/delegations", "audit")).body.delegations).toEqual([]);
  expect([await end("ana"), await end("bo"), await end("bo")]).toEqual([404, 204, 404]);
});

it("[TRUST 12] an approval is reassigned neither by nor to the requester's owner, nor to anyone who cannot vote", async () => {
  const { id, digest, call } = await refund();
  const hand = (as: string, to: string) => server.post(`/v1/approvals/${id}/reassign`, as, { digest, to });
  expect(readCode(await hand("ana", "bo"))).toEqual([403, "approver-not-allowed"]);
  for (const to of ["ana", "bo", "bot", "other", "eve", "nobody"])
    expect([to, ...readCode(await hand("bo", to))]).toEqual([to, 403, "approver-not-allowed"]);
  // The approver keeps the vote.
  const { status } = await hand("bo", "audit");
  expect(status).toBe(200);
  const { events } = (await server.get(`/v1/calls/${call}/events`, "bo")).body;
  expect(events.at(-1).data).toEqual({ round: 1, by: "bo", to: "audit", seal: expect.any(String) });
});

it("[TRUST 19] after ten denials within an hour, an agent can ask people only once a minute", async () => {
  const ask = () => server.post("/v1/calls", "other", { capability: "notes.burn", input: { text: "x" } });
  for (let n = 0; n < 10; n += 1) {
    const { body } = await ask();
    const { id, digest } = body.waiting.approval;
    await server.post(`/v1/approvals/${id}/decision`, "bo", { digest, decision: "deny" });
  }
  const answers = [await ask(), await ask(), await ask()];
  // If the minute changes between the requests, they fall into two windows. The test therefore accepts the limit at any
  // of them.
  const slowed = answers.find(({ status }) => status === 429)!;
  expect([slowed.body.code, Date.parse(slowed.body.resetAt) > Date.now() - 60_000]).toEqual([
    "limit-reached",
    true,
  ]);
  expect(slowed.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(slowed.body.detail).toContain("denied many of your calls");
  const read = await server.post("/v1/calls", "other", { capability: "notes.append", input: { text: "x" } });
  expect(read.status).toBeLessThan(300);
});
