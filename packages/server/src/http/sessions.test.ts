import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
const open = { payment: "pay_open_1", cents: 5 };
let refund: string;
let returned: string;
let plan: string;

beforeAll(async () => {
  await server.start();
  const waits = { prefer: "wait=60" };
  const request = (capability: string, input: object, more: object = {}, as = "bot") =>
    server.post(
      "/v1/calls",
      as,
      { capability, input, session: { session: "chat-1", thread: "t1" }, ...more },
      {
        traceparent: `00-${trace}-00f067aa0ba902b7-01`,
        ...(capability.startsWith("notes.") && waits),
      },
    );
  await request("notes.append", { text: "secret of other" }, {}, "other");
  await request("notes.append", { text: "hello" }, { compressedState: "first" });
  await request("notes.break", { text: "x" });
  await request("notes.lose", { text: "y" });
  refund = (await request("billing.refund", open, { compressedState: "paying pay_open_1 now" })).body.call;
  const back = (await request("billing.refund", { payment: "pay_back_2", cents: 7 })).body;
  returned = back.call;
  await server.post(`/v1/approvals/${back.approval.id}/decision`, "bo", {
    ...{ decision: "return", digest: back.waiting.approval.digest, reason: "refund 5 cents instead" },
  });
  await server.post(`/v1/calls/${refund}/messages`, "ana", { kind: "question", text: "Is it back?" });
  const steps = [{ id: "one", capability: "notes.append", input: { text: "in a plan" } }];
  plan = (
    await server.post(
      "/v1/plans",
      "bot",
      { plan: { version: 1, steps }, session: { session: "chat-1" } },
      waits,
    )
  ).body.call;
});
afterAll(() => server.stop());

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const snapshot = async (as = "bot", query = "") => server.get(`/v1/sessions/chat-1${query}`, as);

describe("GET /v1/sessions/{session}", () => {
  it("gives an agent its calls, plans, outcomes, open questions and its own state", async () => {
    const { status, body } = await snapshot();
    expect(status).toBe(200);
    expect(body.compressedState).toEqual({ call: refund, text: "paying pay_open_1 now", checked: false });
    expect(body.calls.map(({ capability, outcome, code }: never) => [capability, outcome, code])).toEqual([
      ["plan.apply", "succeeded", "done"],
      ["billing.refund", "denied", "returned"],
      ["billing.refund", undefined, undefined],
      ["notes.lose", "unknown", "no-answer"],
      ["notes.break", "failed", "broken"],
      ["notes.append", "succeeded", "done"],
    ]);
    expect(body.calls[0]).toMatchObject({ call: plan, steps: { succeeded: 1 } });
    expect(body.calls[1]).toMatchObject({ call: returned, said: "refund 5 cents instead" });
    expect(body.calls[2]).toMatchObject({ call: refund, state: "asking" });
    expect(body.calls[4]).toMatchObject({ retryable: false });
    expect(body.questions.map(({ kind, call, text }: never) => [kind, call, text])).toEqual([
      ["comment", refund, "Is it back?"],
      ["approval", refund, "Refund €0.05 of •••"],
      ["unknown", body.calls[3].call, "Append a note, and lose the answer (notes.lose)"],
    ]);
    expect(body.folded).toEqual({ calls: {}, questions: 0, observations: 0, hasOlder: false });
  });

  it("returns 304 until something changes, and bounds the tokens", async () => {
    const first = await snapshot();
    const etag = first.headers.get("etag")!;
    expect(etag).toBe(`"${first.body.version}"`);
    const again = await server.get("/v1/sessions/chat-1", "bot", { "if-none-match": `"other", W/${etag}` });
    expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, "", etag]);
    const small = await snapshot("bot", "?tokens=400");
    expect(small.body.tokens.estimate).toBeLessThanOrEqual(400);
    expect(small.body.calls.length).toBeLessThan(6);
    expect((await snapshot("bot", "?tokens=10")).status).toBe(400);
    await server.post(`/v1/calls/${refund}/messages`, "bot", { kind: "answer", text: "Yes." });
    const changed = await server.get("/v1/sessions/chat-1", "bot", { "if-none-match": etag });
    expect(changed.status).toBe(200);
    expect(changed.body.questions.map(({ kind }: { kind: string }) => kind)).toEqual(["approval", "unknown"]);
  });

  it("[TRUST 9] shows an agent nothing of another principal, and no session without calls of its own", async () => {
    const own = await snapshot("other");
    expect(own.body.calls.map(({ headline }: { headline: string }) => headline)).toEqual([
      "Append a note (notes.append)",
    ]);
    expect([own.body.questions, own.body.compressedState]).toEqual([[], undefined]);
    const eve = await snapshot("eve");
    const unknown = await server.get("/v1/sessions/no-such", "bot");
    for (const { status, body } of [eve, unknown])
      expect([status, body.code, body.detail]).toEqual([404, "session-unknown", unknown.body.detail]);
  });

  it("[TRUST 16] hides the agent's state from a reader from whom a sensitive field is hidden", async () => {
    const { body } = await snapshot("ana");
    expect(body.compressedState.text).toBe("•••");
    expect(JSON.stringify(body)).not.toContain("pay_open_1");
    expect(body.calls).toHaveLength(7);
    const call = await server.get(`/v1/calls/${refund}`, "ana");
    expect(call.body.compressedState).toEqual({ text: "•••", checked: false });
    expect(call.body.masked).toContain("compressedState");
  });

  it("[TRUST 21] gives a key without the scope `read` only its own principal's calls", async () => {
    server.service.narrow("key-ana", ["calls"]);
    expect((await snapshot("ana")).body.code).toBe("session-unknown");
    server.service.narrow("key-ana", undefined);
  });

  it("shows approvers the state of a call without sensitive fields, as unverified words", async () => {
    const asked = await server.post("/v1/calls", "bot", {
      ...{ capability: "notes.burn", input: { text: "a" }, compressedState: "I have burnt 2 of 3" },
    });
    const round = await server.get(`/v1/approvals/${asked.body.approval.id}`, "ana");
    expect(round.body.compressedState).toEqual({ text: "I have burnt 2 of 3", checked: false });
    const tooLong = { capability: "notes.burn", input: { text: "a" }, compressedState: "x".repeat(20_001) };
    expect((await server.post("/v1/calls", "bot", tooLong)).body.code).toBe("body-invalid");
  });

  it("as text, is shorter and quotes what people said", async () => {
    const { body, headers } = await snapshot("bot", "?format=text");
    expect(headers.get("content-type")).toContain("text/plain");
    expect(body).toContain('a person said "refund 5 cents instead"');
    expect(body.length).toBeLessThan(JSON.stringify((await snapshot()).body).length);
  });
});

it("`GET /v1/calls` lists calls by session, thread and correlation id", async () => {
  const count = async (query: string) => (await server.get(`/v1/calls?${query}`, "bot")).body.calls.length;
  const traced = 5;
  expect(await count("session=chat-1&steps=false")).toBe(traced + 1);
  expect(await count("session=chat-1&thread=t1")).toBe(traced);
  expect(await count(`correlation=${trace}`)).toBe(traced);
  expect(await count("thread=t2")).toBe(0);
  expect((await server.get("/v1/calls?correlation=xyz", "bot")).body.code).toBe("parameter-invalid");
  expect((await server.get(`/v1/calls/${refund}`, "bot")).body.correlation).toBe(trace);
});
