import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

it("a read returns its output and the link to its receipt at once", async () => {
  const { status, headers, body } = await server.call("notes.list", {});
  expect(status).toBe(200);
  expect(headers.get("location")).toBe(`/v1/calls/${body.call}`);
  expect(body).toMatchObject({
    capability: "notes.list",
    state: "closed",
    outcome: { kind: "succeeded" },
    principal: { id: "bot", kind: "agent", owner: "ana" },
    output: { notes: [] },
    previewed: false,
    preview: null,
    masked: [],
    links: { receipt: `/v1/calls/${body.call}/receipt` },
  });
  expect(body.waiting).toBeUndefined();
});

it("[P4] a refusal is a closed call with 200, not a problem", async () => {
  const { status, body } = await server.call("notes.forbidden", { text: "x" });
  expect([status, body.outcome]).toEqual([200, { kind: "refused", code: "not-permitted" }]);
});

it("[P9] a failure is a closed call too, and the requester gets the error message", async () => {
  const { status, body } = await server.call("notes.break", { text: "that" }, { prefer: "wait=60" });
  expect([status, body.outcome.kind, body.error]).toEqual([200, "failed", "cannot take that"]);
});

it("an open call returns 202 and says what it waits for", async () => {
  const { status, headers, body } = await server.call("billing.refund", { payment: "pay_77", cents: 5 });
  expect(status).toBe(202);
  expect(headers.get("preference-applied")).toBeNull();
  expect(body.waiting).toMatchObject({
    for: "approval",
    approval: {
      id: body.approval.id,
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      guards: [
        { id: "high-risk-needs-a-person", sentence: "What is of high risk needs a person.", quorum: 1 },
      ],
    },
    how: expect.stringContaining("Prefer: wait=60"),
  });
  expect(body.waiting.until).toBe(body.waiting.approval.expiresAt);
});

it("`Prefer: wait` answers as soon as the call is closed", async () => {
  const slow = server.call("notes.slow", { text: "later" }, { prefer: "respond-async, wait=30" });
  setTimeout(() => server.service.notes.openGate(), 100);
  const { status, headers, body } = await slow;
  expect([status, body.outcome.kind]).toEqual([200, "succeeded"]);
  expect(headers.get("preference-applied")).toBe("wait=30");
});

it("`Prefer: wait` ends after the given seconds, at most 60, and the server ignores an invalid value", async () => {
  const begun = performance.now();
  const response = await server.call("notes.burn", { text: "x" }, { prefer: "wait=1" });
  expect(response.status).toBe(202);
  expect(performance.now() - begun).toBeGreaterThan(900);
  expect(
    (await server.call("notes.list", {}, { prefer: "wait=900" })).headers.get("preference-applied"),
  ).toBe("wait=60");
  const odd = await server.get(`/v1/calls/${response.body.call}`, "bot", { prefer: "wait=soon" });
  expect([odd.status, odd.headers.get("preference-applied")]).toEqual([202, null]);
});

it("GET waits as POST does", async () => {
  const { body } = await server.call("notes.burn", { text: "x" });
  const waiting = server.get(`/v1/calls/${body.call}`, "bot", { prefer: "wait=20" });
  const { id, digest } = body.waiting.approval;
  await server.post(`/v1/approvals/${id}/decision`, "bo", {
    decision: "deny",
    digest,
    reason: "not that one",
  });
  const { status, headers, body: closed } = await waiting;
  expect([status, closed.outcome.kind, closed.reason]).toEqual([200, "denied", "not that one"]);
  expect(headers.get("preference-applied")).toBe("wait=20");
});

it("the server stops waiting when the caller disconnects", async () => {
  const { body } = await server.call("notes.burn", { text: "x" });
  const controller = new AbortController();
  const request = server.fetch(`/v1/calls/${body.call}`, {
    as: "bot",
    headers: { prefer: "wait=60" },
    signal: controller.signal,
  });
  await expect.poll(() => server.service.countWaiters()).toBe(1);
  controller.abort();
  await expect(request).rejects.toThrow();
  await expect.poll(() => server.service.countWaiters()).toBe(0);
});

it("[P1] the same key is the same call; another request under it is a conflict", async () => {
  const key = { "idempotency-key": "once" };
  const before = server.service.notes.written.length;
  const first = await server.call("notes.append", { text: "once" }, { ...key, prefer: "wait=60" });
  const again = await server.call("notes.append", { text: "once" }, key);
  expect(first.headers.get("idempotent-replay")).toBeNull();
  expect(again.headers.get("idempotent-replay")).toBe("true");
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(server.service.notes.written.length).toBe(before + 1);

  const other = await server.call("notes.append", { text: "twice" }, key);
  expect([other.status, other.body.code]).toEqual([409, "key-reused"]);
  const theirs = await server.call("notes.append", { text: "twice" }, key, "other");
  expect(theirs.headers.get("idempotent-replay")).toBeNull();
});

it("an idempotency key consists of at most 255 visible ASCII characters", async () => {
  for (const key of ["a b", "x".repeat(256), "ü"]) {
    const { status, body } = await server.call("notes.list", {}, { "idempotency-key": key });
    expect([status, body.code]).toEqual([400, "parameter-invalid"]);
  }
  expect((await server.call("notes.list", {}, { "idempotency-key": "x".repeat(255) })).status).toBe(200);
});

it("an unknown capability, an invalid input and an invalid body each return a problem", async () => {
  const unknown = await server.call("notes.missing", {});
  expect([unknown.status, unknown.body.code]).toEqual([404, "capability-unknown"]);
  const unfit = await server.call("billing.refund", { payment: 7, cents: "secret-value" });
  expect([unfit.status, unfit.body.code]).toEqual([422, "input-invalid"]);
  expect(unfit.body.detail).toMatch(/payment: .*cents: /);
  expect(unfit.body.detail).not.toContain("secret-value");
  const shapeless = await server.post("/v1/calls", "bot", {
    capability: "notes.list",
    input: {},
    purpse: "typo",
  });
  expect([shapeless.status, shapeless.body.code]).toEqual([422, "body-invalid"]);
  const nameless = await server.call("Not A Name", {});
  expect([nameless.status, nameless.body.code]).toEqual([422, "body-invalid"]);
});

it("a valid traceparent is stored with the call, and an invalid one is ignored", async () => {
  const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const traceOf = async (traceparent: string) => {
    const { body } = await server.call("notes.list", {}, { traceparent });
    return (await server.service.store.load({ tenant: "acme", call: body.call }))?.trace;
  };
  expect(await traceOf(trace)).toBe(trace);
  expect(server.spans.at(-1)).toEqual(["POST /v1/calls", trace]);
  for (const bad of ["ff-x", trace.replace(/0af\w+/, "0".repeat(32)), `${trace}-more`]) {
    expect(await traceOf(bad)).toBeUndefined();
  }
});

it("session and purpose stay with the call; the purpose is marked as unchecked", async () => {
  const session = { session: "chat-1", thread: "turn-2" };
  const { body } = await server.post("/v1/calls", "bot", {
    capability: "notes.list",
    input: {},
    session,
    purpose: "to see",
  });
  expect([body.session, body.purpose]).toEqual([session, { text: "to see", checked: false }]);
});

it("lists calls newest first, in pages and filtered, and an agent sees only its own", async () => {
  const list = async (query: string, as = "bot") => (await server.get(`/v1/calls${query}`, as)).body;
  const all = (await list("?limit=100")).calls;
  expect(all.map(({ call }: { call: string }) => call)).toEqual(
    all
      .map(({ call }: { call: string }) => call)
      .toSorted()
      .toReversed(),
  );
  expect(all.every(({ principal }: { principal: string }) => principal === "bot")).toBe(true);
  const first = await list("?limit=2");
  const second = await list(`?limit=2&before=${first.next}`);
  expect([...first.calls, ...second.calls]).toEqual(all.slice(0, 4));
  const open = (await list("?state=open")).calls;
  expect(open.every(({ state }: { state: string }) => state !== "closed")).toBe(true);
  const slow = (await list("?capability=notes.slow&state=closed")).calls;
  expect(slow).toMatchObject([{ capability: "notes.slow", outcome: { kind: "succeeded" } }]);
  expect(slow[0].createdAt).toMatch(/^\d{4}-.*Z$/);
  expect((await list("?limit=100", "ana")).calls.length).toBeGreaterThan(all.length);
  expect((await list("?limit=100", "eve")).calls).toEqual([]);
  for (const bad of ["?limit=0", "?limit=101", "?limit=x", "?state=odd", "?before=%00", "?capability=A"]) {
    expect((await server.get(`/v1/calls${bad}`, "bot")).status).toBe(400);
  }
});

it("[TRUST 9] another agent and another tenant get 404 for a call", async () => {
  const { body } = await server.call("notes.list", {});
  for (const path of ["", "/events", "/receipt"]) {
    for (const as of ["other", "eve"]) {
      const { status, body: problem } = await server.get(`/v1/calls/${body.call}${path}`, as);
      expect([status, problem.code]).toEqual([404, "call-unknown"]);
    }
    for (const handle of ["call_none", "a".repeat(500), "..%2f..", "%ff"]) {
      expect((await server.get(`/v1/calls/${handle}${path}`, "bot")).status).toBe(404);
    }
  }
  expect((await server.get(`/v1/calls/${body.call}`, "ana")).status).toBe(200);
});
