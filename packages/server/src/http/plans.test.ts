import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());
afterEach(() => server.service.notes.pinned.clear());

const pin = (id: string, place: string, text: unknown, more: object = {}) => ({
  id,
  capability: "notes.pin",
  input: { place, text },
  ...more,
});
const refund = (id: string, payment: string, more: object = {}) => ({
  id,
  capability: "billing.refund",
  input: { payment, cents: 1250 },
  ...more,
});
const planned = (...steps: object[]) => ({ version: 1, steps });
const place = (plan: unknown, headers: Record<string, string> = {}, as = "bot") =>
  server.post("/v1/plans", as, { plan }, { prefer: "wait=60", ...headers });
const decide = ({ waiting }: { waiting: { approval: { id: string; digest: string } } }, more: object = {}) =>
  server.post(`/v1/approvals/${waiting.approval.id}/decision`, "bo", {
    decision: "approve",
    digest: waiting.approval.digest,
    ...more,
  });

describe("POST /v1/plans", () => {
  it("[P13] performs the steps in order, and shows the outcome of each", async () => {
    const done = await place(
      planned(pin("a", "door", "hello"), pin("b", "wall", { $from: "a", path: "/place" })),
    );
    expect([done.status, done.headers.get("location")]).toEqual([200, `/v1/plans/${done.body.call}`]);
    expect(done.body).toMatchObject({
      capability: "plan.apply",
      outcome: { kind: "succeeded" },
      steps: [
        {
          step: "a",
          capability: "notes.pin",
          status: "closed",
          outcome: { kind: "succeeded" },
          effect: "write",
          risk: "medium",
          previewed: true,
          inputKnown: true,
          visibility: "everyone",
          changes: [{ kind: "update", target: "door", summary: "hello" }],
        },
        { step: "b", status: "closed", inputKnown: false, previewed: false, dependsOn: ["a"], changes: [] },
      ],
    });
    expect([...server.service.notes.pinned]).toEqual([
      ["door", "hello"],
      ["wall", "door"],
    ]);
    const step = await server.get(`/v1/calls/${done.body.steps[0].call}`, "bot");
    expect(step.body).toMatchObject({
      parent: { call: done.body.call, step: "a" },
      links: { undo: `/v1/calls/${step.body.call}/undo` },
    });
    const again = await server.get(`/v1/plans/${done.body.call}`, "bot");
    expect(again.body).toEqual(done.body);
  });

  it("[P1] the same idempotency key returns the same plan, and conflicts with a different one", async () => {
    const [one, other] = [
      await place(planned(pin("a", "door", "1")), { "idempotency-key": "p1" }),
      await place(planned(pin("a", "door", "1")), { "idempotency-key": "p1" }),
    ];
    expect([other.body.call, other.headers.get("idempotent-replay")]).toEqual([one.body.call, "true"]);
    const another = await place(planned(pin("a", "door", "2")), { "idempotency-key": "p1" });
    expect([another.status, another.body.code]).toEqual([409, "key-reused"]);
  });

  it("accepts a tool chain as a plan, with its arguments as literal values", async () => {
    const { status, body } = await place({
      steps: [{ tool: "notes.pin", args: { place: "door", text: "from a chain" }, visibility: "public" }],
    });
    expect([status, body.steps[0].step, server.service.notes.pinned.get("door")]).toEqual([
      ...[200, "1", "from a chain"],
    ]);
  });

  it("[P11] names the invalid step of a rejected plan, and records no call", async () => {
    const before = server.service.store.calls().length;
    const faults = [
      [planned(), 422, "steps"],
      [planned(pin("a", "x", "1"), pin("a", "y", "2")), 422, "steps.1.id: another step is called `a`"],
      [planned(pin("a", "x", { $from: "b" })), 422, "steps.0.input: takes a value from `b`"],
      [planned(pin("a", "x", 7)), 422, "Step `a`"],
      [planned({ id: "a", capability: "no.such", input: {} }), 404, "Step `a`: There is no such capability"],
      [{ steps: [{ tool: "notes.pin" }, { tool: 7, args: {} }] }, 422, "steps.1.tool"],
      ["x", 422, "(the whole)"],
    ] as const;
    for (const [plan, status, said] of faults) {
      const answer = await place(plan);
      expect([answer.status, answer.body.detail], said).toEqual([status, expect.stringContaining(said)]);
    }
    expect(server.service.store.calls()).toHaveLength(before);
  });

  it("[TRUST 21] a plan or a plan nested in it cannot exceed the scopes of a narrowed API key", async () => {
    const within = planned({
      id: "a",
      capability: "plan.apply",
      input: { $literal: planned(pin("b", "door", "1"), refund("c", "pay_1")) },
    });
    const untold = planned(pin("a", "door", "1"), {
      id: "b",
      capability: "plan.apply",
      input: { version: 1, steps: { $from: "a" } },
    });
    server.service.narrow("key-bot", ["calls:notes.*"]);
    try {
      expect((await place(planned(pin("a", "door", "1")))).status).toBe(200);
      expect((await place(within)).body).toMatchObject({
        code: "scope-missing",
        scopes: ["calls:billing.refund"],
      });
      expect((await place(untold)).body).toMatchObject({ code: "scope-missing", scopes: [] });
      const asCall = await server.call("plan.apply", within);
      expect(asCall.body.code).toBe("scope-missing");
      expect((await server.post("/v1/previews", "bot", { plan: within })).body.code).toBe("scope-missing");
    } finally {
      server.service.narrow("key-bot", undefined);
    }
  });
});

describe("the approval of a plan", () => {
  it("[P13] performs all steps except those that the approver declined", async () => {
    const response = await place(planned(refund("a", "pay_a"), refund("b", "pay_b"), pin("c", "door", "1")), {
      prefer: "wait=0",
    });
    expect(response.body.waiting.approval.guards).toMatchObject([{ steps: ["a", "b"] }]);
    expect(response.body.steps.map(({ asks }: { asks?: string[] }) => asks)).toEqual([
      ["high-risk-needs-a-person"],
      ["high-risk-needs-a-person"],
      undefined,
    ]);
    const wrong = await decide(response.body, { declined: ["z"] });
    expect([wrong.status, wrong.body.code]).toEqual([422, "input-invalid"]);
    expect((await decide(response.body, { declined: ["b"] })).status).toBe(200);
    const done = await server.get(`/v1/plans/${response.body.call}`, "bot", { prefer: "wait=60" });
    expect(done.body.steps.map(({ status }: { status: string }) => status)).toEqual([
      ...["closed", "declined", "closed"],
    ]);
    expect(server.service.notes.refunded).toEqual(["pay_a"]);
    const round = await server.get(`/v1/approvals/${response.body.waiting.approval.id}`, "bo");
    expect(round.body.declined).toEqual(["b"]);
  });

  it("[P6] an edit of one step creates a successor plan and keeps the other steps", async () => {
    const response = await place(planned(refund("a", "pay_old"), pin("b", "door", "1")), {
      prefer: "wait=0",
    });
    const { id, digest } = response.body.waiting.approval;
    const edit = (body: object) => server.post(`/v1/approvals/${id}/edit`, "bo", { digest, ...body });
    const nowhere = await edit({ step: "z", input: {} });
    expect([nowhere.status, nowhere.body.code]).toEqual([422, "input-invalid"]);
    // A field that the editor sees masked keeps its value.
    const { status, body } = await edit({ step: "a", input: { payment: "•••", cents: 99 } });
    expect([status, body.supersedes]).toEqual([200, response.body.call]);
    const now = await server.get(`/v1/plans/${body.call}`, "bot");
    expect(now.body.steps).toMatchObject([
      { step: "a", input: { payment: "pay_old", cents: 99 } },
      { step: "b", input: { place: "door", text: "1" } },
    ]);
  });

  it("[TRUST 16] a step's sensitive fields are masked as a call's are, in input, preview and undo", async () => {
    const response = await place(planned(refund("a", "pay_secret")), { prefer: "wait=0" });
    const testResponse = await server.get(`/v1/plans/${response.body.call}`, "bo");
    expect(JSON.stringify(testResponse.body)).not.toContain("pay_secret");
    expect(testResponse.body).toMatchObject({
      masked: ["steps.a.payment"],
      input: { steps: [{ input: { payment: "•••", cents: 1250 } }] },
      steps: [{ changes: [{ target: "payment:•••" }] }],
    });
    const round = await server.get(`/v1/approvals/${response.body.waiting.approval.id}`, "bo");
    expect(JSON.stringify(round.body)).not.toContain("pay_secret");
    expect(JSON.stringify(response.body)).toContain("pay_secret");
  });

  it("a step with the visibility `approvers` is visible to the requester and approvers, not to other people", async () => {
    const discreet = pin("a", "safe", "the code is 4711", { visibility: "approvers" });
    const allowed = await place(planned(discreet, pin("b", "door", "1")));
    const nobodyAsked = await server.get(`/v1/plans/${allowed.body.call}`, "bo");
    expect(JSON.stringify(nobodyAsked.body)).not.toMatch(/4711|safe/);
    expect(nobodyAsked.body).toMatchObject({
      masked: expect.arrayContaining(["steps.a"]),
      steps: [
        { step: "a", input: "•••", changes: [{ kind: "other", target: "•••" }], status: "closed" },
        { step: "b", input: { place: "door" }, changes: [{ target: "door" }] },
      ],
    });
    const child = await server.get(`/v1/calls/${allowed.body.steps[0].call}`, "bo");
    expect([child.status, JSON.stringify(child.body)]).toEqual([200, expect.not.stringMatching(/4711|safe/)]);
    const receipt = await server.get(`/v1/calls/${allowed.body.steps[0].call}/receipt`, "bo");
    expect(receipt.body.disclosures).toEqual({});

    const response = await place(planned(discreet, refund("b", "pay_b")), { prefer: "wait=0" });
    const decides = await server.get(`/v1/plans/${response.body.call}`, "bo");
    expect(decides.body.steps[0]).toMatchObject({ input: { text: "the code is 4711" } });
  });

  it("[TRUST 6] an auditor sees every step that ran without an approval request, whatever the requester marks", async () => {
    const discreet = pin("a", "safe", "the code is 4711", { visibility: "approvers" });
    const nested = { id: "c", capability: "plan.apply", input: { $literal: planned(discreet) } };
    const { body } = await place(planned(discreet, nested));
    const inner = await server.get(`/v1/plans/${body.steps[1].call}`, "bot");
    const steps = [body.steps[0].call, inner.body.steps[0].call];
    for (const call of [body.call, inner.body.call, ...steps])
      expect(JSON.stringify((await server.get(`/v1/calls/${call}`, "audit")).body)).toContain("4711");
    for (const plan of [body.call, inner.body.call])
      expect((await server.get(`/v1/plans/${plan}`, "audit")).body.steps[0]).toMatchObject({
        input: { text: "the code is 4711" },
        changes: [{ target: "safe" }],
      });
    for (const call of steps) {
      const { body: receipt } = await server.get(`/v1/calls/${call}/receipt`, "audit");
      expect(JSON.stringify(receipt.disclosures)).toContain("4711");
      const bo = await server.get(`/v1/calls/${call}`, "bo");
      expect(JSON.stringify(bo.body)).not.toMatch(/4711|safe/);
    }
  });

  it("[TRUST 16] an auditor sees no sensitive field, and no hidden step that its approvers were asked about", async () => {
    const sensitive = await place(planned(refund("a", "pay_secret", { visibility: "approvers" })), {
      prefer: "wait=0",
    });
    const response = await server.get(`/v1/plans/${sensitive.body.call}`, "audit");
    expect(JSON.stringify(response.body)).not.toContain("pay_secret");
    const testResponse = await server.post(
      "/v1/plans",
      "bot",
      {
        plan: planned(pin("a", "safe", "the code is 4711", { visibility: "approvers" })),
        requirements: { people: 1, group: "notes-keepers" },
      },
      { prefer: "wait=0" },
    );
    expect(testResponse.body.waiting.approval.guards).toMatchObject([{ group: "notes-keepers" }]);
    const plan = await server.get(`/v1/plans/${testResponse.body.call}`, "audit");
    expect(JSON.stringify(plan.body)).not.toMatch(/4711|safe/);
  });
});

describe("progress and cancelling", () => {
  it("[P13] the stream reports the end of each step, and ends with the plan", async () => {
    const { body } = await place(planned(pin("a", "door", "1"), pin("b", "wall", "2")));
    const stream = await server.fetch(`/v1/plans/${body.call}/events`, {
      as: "bot",
      headers: { accept: "text/event-stream" },
    });
    const said = await stream.text();
    const stepped = [...said.matchAll(/^data: (.*stepped.*)$/gm)].map(([, data]) => JSON.parse(data!).data);
    expect(stepped).toMatchObject([
      { step: "a", outcome: "succeeded", call: body.steps[0].call },
      { step: "b", outcome: "succeeded", call: body.steps[1].call },
    ]);
    const { body: listed } = await server.get(`/v1/plans/${body.call}/events?after=1`, "bot");
    expect(listed.events.at(-1).type).toBe("dev.paraph.call.succeeded.v1");
  });

  it("a plan waits for its steps, `steps=false` omits them from the call list, and withdrawal cancels the plan", async () => {
    const { body: placed } = await place(
      planned(pin("a", "door", "1"), {
        id: "b",
        capability: "billing.refund",
        input: { payment: { $from: "a", path: "/place" }, cents: 1 },
      }),
      { prefer: "wait=0" },
    );
    const read = () => server.get(`/v1/plans/${placed.call}`, "bot");
    await expect.poll(async () => (await read()).body.steps[1]).toMatchObject({ state: "asking" });
    const response = await read();
    expect([response.status, response.body.state, response.body.waiting.for]).toEqual([
      202,
      "composing",
      "steps",
    ]);
    expect(response.body.steps).toMatchObject([{ status: "closed" }, { status: "open", state: "asking" }]);
    const { body: apart } = await server.get("/v1/calls?steps=false&limit=100", "bot");
    expect(apart.calls.some(({ parent }: { parent?: object }) => parent)).toBe(false);
    await server.post(`/v1/calls/${response.body.call}/withdrawal`, "bot", {});
    const ended = await server.get(`/v1/plans/${response.body.call}`, "bot", { prefer: "wait=60" });
    expect(ended.body.outcome).toEqual({ kind: "cancelled", code: "withdrawn" });
  });

  it("[TRUST 9] a plan is unknown to other principals, and the id of a call that is not a plan is unknown as well", async () => {
    const { body } = await place(planned(pin("a", "door", "1")));
    for (const path of [`/v1/plans/${body.call}`, `/v1/plans/${body.call}/events`])
      for (const who of ["other", "eve"])
        expect((await server.get(path, who)).body.code).toBe("plan-unknown");
    const step = await server.get(`/v1/plans/${body.steps[0].call}`, "bot");
    expect([step.status, step.body.code]).toEqual([404, "plan-unknown"]);
  });
});

describe("POST /v1/previews", () => {
  const preview = (body: object, as = "bot") => server.post("/v1/previews", as, body);

  it("[P3] shows the ruling on a call and on a plan, and writes nothing", async () => {
    const before = JSON.stringify(server.service.store.calls());
    const one = await preview({ capability: "billing.refund", input: { payment: "p", cents: 1 } });
    expect(one.body).toMatchObject({
      ruling: "ask",
      sentence: "What is of high risk needs a person.",
      previewed: true,
      guards: [{ id: "high-risk-needs-a-person", quorum: 1 }],
      preview: { changes: [{ target: "payment:p" }] },
    });
    const response = await preview({ plan: planned(pin("a", "door", "1"), refund("b", "p")) });
    expect(response.body).toMatchObject({
      capability: "plan.apply",
      ruling: "ask",
      guards: [{ steps: ["b"] }],
      preview: {
        steps: [
          { id: "a", changes: 1 },
          { id: "b", changes: 1 },
        ],
      },
    });
    const blocked = await preview({
      plan: planned({ id: "a", capability: "notes.forbidden", input: { text: "x" } }),
    });
    expect(blocked.body).toMatchObject({ ruling: "block", sentence: expect.stringContaining("Step `a`") });
    expect(JSON.stringify(server.service.store.calls())).toBe(before);
    expect(server.service.notes.pinned.size).toBe(0);
  });

  it("rejects a body with neither a call nor a plan, or with both", async () => {
    const plan = planned(pin("a", "door", "1"));
    for (const body of [{}, { capability: "notes.pin" }, { plan, capability: "notes.pin", input: {} }])
      expect((await preview(body)).body).toMatchObject({
        code: "body-invalid",
        detail: expect.stringContaining("a capability and its input, or a plan"),
      });
  });
});
