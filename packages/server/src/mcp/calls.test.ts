import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { McpTestServer } from "./testing/server.ts";

const server = new McpTestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

it("lists the capabilities that policy may allow, and Paraph's own tools, under sorted tool names", async () => {
  const { tools } = await (await server.client()).listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual([...names].sort());
  expect(names).toEqual(
    expect.arrayContaining(["notes_list", "billing_refund", "find_capabilities", "make_plan"]),
  );
  // The agent performs `own.post` itself, and plans have the tool `make_plan`, so neither capability gets a tool of its
  // own.
  expect(names).not.toEqual(expect.arrayContaining(["own_post"]));
  expect(names).not.toContain("plan_apply");
  expect(tools.find(({ name }) => name === "notes_list")).toMatchObject({
    description: "List the notes",
    annotations: { readOnlyHint: true, destructiveHint: false },
  });
});

it("an allowed call returns its output as structured content and as text", async () => {
  const client = await server.client();
  await client.listTools();
  const answer = await client.callTool({ name: "notes_list", arguments: {} });
  expect(answer).toMatchObject({
    structuredContent: { notes: [] },
    content: [{ type: "text", text: '{"notes":[]}' }],
  });
  const call = (answer._meta as Record<string, string>)["dev.paraph/call"]!;
  const receipt = await client.callTool({ name: "read_receipt", arguments: { call } });
  expect(receipt.structuredContent).toMatchObject({ mediaType: "application/vnd.paraph.receipt.v1+json" });
});

it("words become a plan with a preview, and the plan is requested only with its fingerprint", async () => {
  const client = await server.client();
  const ask = async (more: object = {}) =>
    client.callTool({
      name: "request_in_words",
      arguments: { words: 'Pin place "door" text "hello"', ...more },
    });
  const shown = (await ask()).structuredContent as Record<string, unknown>;
  expect(shown).toMatchObject({
    kind: "plan",
    plan: { steps: [{ capability: "notes.pin", input: { $literal: { place: "door", text: "hello" } } }] },
    preview: { ruling: "allow" },
  });
  expect(server.service.notes.pinned.has("door")).toBe(false);
  expect(await ask({ fingerprint: "0000000000000000" })).toMatchObject({ isError: true });
  expect(server.service.notes.pinned.has("door")).toBe(false);
  const done = await ask({ fingerprint: shown.fingerprint });
  expect(done.isError).toBeFalsy();
  expect(server.service.notes.pinned.get("door")).toBe("hello");
  const question = await ask({ words: "Pin the note" });
  expect(question.structuredContent).toMatchObject({ kind: "question" });
});

it("[P4] a refusal is an error with the reason, and is recorded", async () => {
  const answer = await (await server.client()).callTool({
    name: "notes_forbidden",
    arguments: { text: "x" },
  });
  expect(answer).toMatchObject({ isError: true, _meta: { "dev.paraph/outcome": "refused" } });
  expect(text(answer)).toContain("Refused by policy");
});

it("[P9] a failure and an invalid input return their reason as text", async () => {
  const client = await server.client();
  expect(text(await client.callTool({ name: "notes_break", arguments: { text: "that" } }))).toContain(
    "cannot take that",
  );
  const unfit = await client.callTool({ name: "notes_append", arguments: { text: 3 } });
  expect([unfit.isError, text(unfit)]).toEqual([true, expect.stringContaining("does not fit")]);
  await expect(client.callTool({ name: "notes_nothing", arguments: {} })).rejects.toThrow("no tool");
});

it("a call that waits for approval is pending without an error, and the client can fetch its result later", async () => {
  const client = await server.client({ name: "pending" });
  await client.listTools();
  const heard: (string | undefined)[] = [];
  const pending = await server.withShortWaits(() =>
    client.callTool(
      { name: "billing_refund", arguments: { payment: "pay_1", cents: 5 } },
      { onprogress: ({ message }) => heard.push(message) },
    ),
  );
  const { call, page } = pending.structuredContent as Record<string, string>;
  expect(pending.isError).toBeFalsy();
  expect(pending.structuredContent).toMatchObject({
    status: "pending",
    waitingFor: "a person must decide",
  });
  expect(page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/approvals\//);
  expect(heard[0]).toContain(page);
  // [P12] No client is connected during the approval.
  await server.decide("approve");
  const answer = await client.callTool({ name: "wait_for_call", arguments: { call: call! } });
  expect(answer.structuredContent).toEqual({ refund: "re_1", for: "pay_1" });
});

it("[TRUST 19] a repeated request in a session returns the same call, open or closed, until its result is delivered", async () => {
  const ask = { name: "billing_refund", arguments: { payment: "pay_again", cents: 5 } };
  const client = await server.client({ name: "again" });
  const askSoon = () => server.withShortWaits(() => client.callTool(ask));
  const first = await askSoon();
  const second = await askSoon();
  expect(second.structuredContent).toEqual(first.structuredContent);
  await server.decide("approve");
  const third = await (await server.client({ name: "again" })).callTool(ask);
  expect(third.structuredContent).toEqual({
    refund: "re_1",
    for: "pay_again",
    "dev.paraph/note": expect.stringContaining("The call was not performed again"),
  });
  expect(text(third)).toContain("The call was not performed again");
  expect(server.service.notes.refunded.filter((one) => one === "pay_again")).toHaveLength(1);
  // The client has its result, so another request is a new call.
  const fourth = await askSoon();
  expect(fourth.structuredContent).toMatchObject({ status: "pending" });
  expect((fourth.structuredContent as { call: string }).call).not.toBe(
    (first.structuredContent as { call: string }).call,
  );
  await server.decide("deny", "once is enough");
  expect(text(await client.callTool(ask))).toContain("Denied by a person: once is enough");
});

it("[P12] [TRUST 19] a client that disconnected gets the undelivered result when it repeats the request", async () => {
  const ask = { name: "billing_refund", arguments: { payment: "pay_gone", cents: 5 } };
  const client = await server.client({ name: "gone" });
  const controller = new AbortController();
  const lost = client.callTool(ask, { signal: controller.signal }).catch(() => "gone");
  await server.waitForApprovals();
  controller.abort();
  expect(await lost).toBe("gone");
  await server.waitForNoWaiters();
  await server.decide("approve");
  const answer = await client.callTool(ask);
  expect(answer.structuredContent).toMatchObject({ refund: "re_1", for: "pay_gone" });
  expect(server.service.notes.refunded.filter((one) => one === "pay_gone")).toHaveLength(1);
});

it("[P1] [TRUST 19] a write that needs no approval is performed once even if its answer is lost", async () => {
  const ask = { name: "notes_slow", arguments: { text: "lost on the way" } };
  const client = await server.client({ name: "lost" });
  const { promise, resolve } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  server.service.notes.waitForGate = () => {
    begin();
    return promise;
  };
  const controller = new AbortController();
  const lost = client.callTool(ask, { signal: controller.signal }).catch(() => "gone");
  await begun;
  controller.abort();
  expect(await lost).toBe("gone");
  await server.waitForNoWaiters();
  resolve();
  await eventually(() => expect(server.service.store.calls().at(-1)).toMatchObject({ state: "closed" }));
  const again = await client.callTool(ask);
  expect(text(again)).toContain("The call was not performed again");
  expect(server.service.notes.written.filter((one) => one === "lost on the way")).toHaveLength(1);
  // The result was delivered, so another request is a new call.
  await client.callTool(ask);
  expect(server.service.notes.written.filter((one) => one === "lost on the way")).toHaveLength(2);
});

it("a decision that arrives while the client waits is returned as the answer", async () => {
  const client = await server.client({ name: "while" });
  const answer = client.callTool({ name: "notes_burn", arguments: { text: "x" } });
  await server.waitForApprovals();
  await server.decide("deny", "not today");
  expect(await answer).toMatchObject({ isError: true });
  expect(text(await answer)).toContain("Denied by a person: not today");
});

it("[P6] Paraph performs the edited input, and a client that waits for the original call learns of the edit", async () => {
  const client = await server.client({ name: "edited" });
  const ask = { name: "billing_refund", arguments: { payment: "pay_edit", cents: 500 } };
  const askSoon = () => server.withShortWaits(() => client.callTool(ask));
  const pending = await askSoon();
  await server.edit({ payment: "pay_edit", cents: 5 });
  await server.decide("approve");
  const { call } = pending.structuredContent as { call: string };
  const answer = await client.callTool({ name: "wait_for_call", arguments: { call } });
  const note =
    'A person edited the input before the call was performed. The new input is: {"payment":"pay_edit","cents":5}.';
  expect(answer.structuredContent).toEqual({ refund: "re_1", for: "pay_edit", "dev.paraph/note": note });
  expect(text(answer)).toContain(note);
  // The result was delivered, so another request is a new call.
  expect((await askSoon()).structuredContent).toMatchObject({ status: "pending" });
  await server.decide("deny");
});

it("[TRUST 9] another principal's call id returns the same error as an id that does not exist", async () => {
  const mine = await (await server.client({ name: "mine" })).callTool({
    name: "notes_pin",
    arguments: { place: "p", text: "t" },
  });
  const call = (mine._meta as Record<string, string>)["dev.paraph/call"]!;
  for (const as of ["other", "ana", "eve"]) {
    const client = await server.client({ as });
    for (const name of ["wait_for_call", "read_receipt", "undo_call"]) {
      const theirs = await client.callTool({ name, arguments: { call } });
      const none = await client.callTool({ name, arguments: { call: "call_none" } });
      expect(theirs).toMatchObject({ isError: true });
      expect(text(theirs)).toBe(text(none));
    }
  }
});

it("[TRUST 9] `read_session` gives an agent the state of its own session, and `read_outcomes` how its calls ended", async () => {
  const client = await server.client({ name: "resume" });
  await client.callTool({ name: "notes_append", arguments: { text: "before the crash" } });
  const failed = await client.callTool({ name: "notes_break", arguments: { text: "x" } });
  expect(failed._meta).toMatchObject({ "dev.paraph/retryable": false });
  expect(text(failed)).toContain("Do not repeat the same request.");
  const read = async (as: string) => {
    const tool = { name: "read_session", arguments: { tokens: 1_000 } };
    return (await (await server.client({ name: "resume", as })).callTool(tool)).structuredContent as {
      calls: { capability: string }[];
    };
  };
  const own = await read("bot");
  expect(own.calls.map(({ capability }) => capability)).toEqual(["notes.break", "notes.append"]);
  expect((await read("other")).calls).toEqual([]);
  const outcomes = await client.callTool({ name: "read_outcomes", arguments: { tool: "notes_break" } });
  expect(outcomes.structuredContent).toEqual({ outcomes: [] });
  const none = await client.callTool({ name: "read_outcomes", arguments: { tool: "no_such" } });
  expect(none).toMatchObject({ isError: true });
});

it("`undo_call` reverses the effect of a call with a call of its own", async () => {
  const client = await server.client({ name: "undo" });
  const pinned = await client.callTool({ name: "notes_pin", arguments: { place: "board", text: "t" } });
  expect(server.service.notes.pinned.get("board")).toBe("t");
  const call = (pinned._meta as Record<string, string>)["dev.paraph/call"]!;
  await client.callTool({ name: "undo_call", arguments: { call } });
  expect(server.service.notes.pinned.has("board")).toBe(false);
});

it("[P3] a preview shows the changes and the ruling, and performs nothing", async () => {
  const client = await server.client({ name: "preview" });
  const seen = await client.callTool({
    name: "preview_call",
    arguments: { tool: "billing_refund", arguments: { payment: "pay_p", cents: 7 } },
  });
  expect(seen.structuredContent).toMatchObject({
    ruling: "ask",
    policies: ["high-risk-needs-a-person"],
    preview: { changes: [{ target: "payment:pay_p" }] },
  });
  expect(
    server.service.store.calls().some(({ payloads }) => JSON.stringify(payloads).includes('pay_p"')),
  ).toBe(false);
});

it("[P13] a plan accepts tool names and capability names, and is one call", async () => {
  const client = await server.client({ name: "plan" });
  const answer = await client.callTool({
    name: "make_plan",
    arguments: {
      steps: [
        { id: "one", tool: "notes_append", arguments: { text: "first" } },
        { id: "two", tool: "notes.append", arguments: { text: "second" } },
      ],
    },
  });
  expect(answer.isError).toBeFalsy();
  expect(server.service.notes.written).toEqual(expect.arrayContaining(["first", "second"]));
});

it("finds capabilities by words", async () => {
  const found = await (await server.client()).callTool({
    name: "find_capabilities",
    arguments: { query: "refund payment" },
  });
  expect((found.structuredContent as { found: { tool: string }[] }).found[0]).toMatchObject({
    tool: "billing_refund",
  });
});

it("[TRUST 21] a narrowed API key sees and uses only the tools that its scopes allow", async () => {
  server.service.narrow("key-other", ["calls:notes.*"]);
  const client = await server.client({ as: "other" });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("notes_list");
  expect(names).not.toContain("billing_refund");
  const refused = await client.callTool({
    name: "billing_refund",
    arguments: { payment: "pay_n", cents: 1 },
  });
  expect(text(refused)).toContain("lacks");
  const plan = { steps: [{ id: "a", tool: "billing_refund", arguments: { payment: "pay_n", cents: 1 } }] };
  expect(text(await client.callTool({ name: "make_plan", arguments: plan }))).toContain("lacks");
  server.service.narrow("key-other", undefined);
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
function text(answer: any): string {
  return answer.content.map(({ text }: { text?: string }) => text ?? "").join("\n");
}
