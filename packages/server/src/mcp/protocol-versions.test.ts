import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LegacyClient } from "./testing/legacy-client.ts";
import { McpTestServer } from "./testing/server.ts";

const server = new McpTestServer();
// Every call that is not closed at once waits for a person here, so a short wait only saves time.
beforeAll(() => server.start({ patienceMs: 400 }));
afterAll(() => server.stop());

const refund = (payment: string) => ({ name: "billing_refund", arguments: { payment, cents: 5 } });

describe.each(["2025-03-26", "2025-06-18", "2025-11-25"])("a client of protocol version %s", (era) => {
  it("initializes, lists and calls tools, and gets the result of a pending call by repeating it", async () => {
    const client = new LegacyClient(server, era);
    const begun = await client.initialize();
    expect(begun.protocolVersion).toBe(era);
    expect(begun.capabilities).toEqual({ tools: {} });
    expect((await client.send("tools/list")).result.tools.length).toBeGreaterThan(10);
    const read = await client.send("tools/call", { name: "notes_list", arguments: {} });
    expect(read.result.structuredContent).toHaveProperty("notes");
    expect(read.result.resultType).toBeUndefined();

    const heard: unknown[] = [];
    const pending = await client.send(
      "tools/call",
      { ...refund(`pay_${era}`), _meta: { progressToken: 7 } },
      heard,
    );
    expect(pending.result).toMatchObject({ structuredContent: { status: "pending" } });
    expect(heard[0]).toMatchObject({ method: "notifications/progress", params: { progressToken: 7 } });
    await server.decide("approve");
    // [TRUST 19] The client repeats the request under a new id, in the session that it was given.
    const again = await client.send("tools/call", refund(`pay_${era}`));
    expect(again.result.structuredContent).toMatchObject({ for: `pay_${era}` });
    expect(server.service.notes.refunded.filter((one) => one === `pay_${era}`)).toHaveLength(1);
  });

  it("[P12] [TRUST 19] that reconnects gets the undelivered result, and approvers are asked only once", async () => {
    const [one, next] = [new LegacyClient(server, era), new LegacyClient(server, era)];
    await one.initialize();
    const first = await one.send("tools/call", refund(`anew_${era}`));
    await next.initialize();
    const second = await next.send("tools/call", refund(`anew_${era}`));
    expect(second.result.structuredContent).toEqual(first.result.structuredContent);
    await server.decide("approve");
    const third = await next.send("tools/call", refund(`anew_${era}`));
    expect(third.result.structuredContent).toMatchObject({ for: `anew_${era}` });
    expect(server.service.notes.refunded.filter((one) => one === `anew_${era}`)).toHaveLength(1);
  });

  it("does not share a session with a client of another name", async () => {
    const [one, other] = [new LegacyClient(server, era), new LegacyClient(server, era, "other")];
    await Promise.all([one.initialize(), other.initialize()]);
    const first = await one.send("tools/call", refund(`twice_${era}`));
    const second = await other.send("tools/call", refund(`twice_${era}`));
    expect(first.result.structuredContent.call).not.toBe(second.result.structuredContent.call);
    await server.decide("deny");
    await server.decide("deny");
  });
});

it("a client of 2025-11-25 that can open pages is asked once to open one, and then gets pending", async () => {
  const client = new LegacyClient(server, "2025-11-25");
  await client.initialize({ elicitation: { url: {} } });
  const asked = await client.send("tools/call", refund("pay_page"));
  expect(asked.error).toMatchObject({
    code: -32042,
    data: { elicitations: [{ mode: "url", url: expect.stringContaining("/approvals/") }] },
  });
  const again = await client.send("tools/call", refund("pay_page"));
  expect(again.result.structuredContent).toMatchObject({ status: "pending" });
  await server.decide("approve");
  expect((await client.send("tools/call", refund("pay_page"))).result.structuredContent.for).toBe("pay_page");
});

it("an older client gets no elicitation that its version lacks, even if it declares support", async () => {
  const client = new LegacyClient(server, "2025-06-18");
  await client.initialize({ elicitation: { form: {}, url: {} } });
  const asked = await client.send("tools/call", refund("pay_codex"));
  expect(asked.result.structuredContent).toMatchObject({ status: "pending" });
  await server.decide("deny");
});

it("the SDK's client works in legacy mode", async () => {
  const client = await server.client({ era: "legacy" });
  expect((await client.listTools()).tools.length).toBeGreaterThan(10);
  expect((await client.callTool({ name: "notes_list", arguments: {} })).structuredContent).toHaveProperty(
    "notes",
  );
});

describe("a client of protocol version 2026-07-28", () => {
  it("that can open pages is asked once to open one, and its answer is not a decision", async () => {
    const opened: unknown[] = [];
    const client = await server.client({ name: "pages", capabilities: { elicitation: { url: {} } } });
    client.setRequestHandler("elicitation/create", ({ params }) => {
      opened.push(params);
      return { action: "accept" };
    });
    const answer = await client.callTool(refund("pay_new_page"));
    expect(opened).toMatchObject([{ mode: "url", url: expect.stringContaining("/approvals/") }]);
    expect(answer.structuredContent).toMatchObject({ status: "pending" });
    await server.decide("approve");
    const { call } = answer.structuredContent as { call: string };
    const done = await client.callTool({ name: "wait_for_call", arguments: { call } });
    expect(done.structuredContent).toMatchObject({ for: "pay_new_page" });
    expect(server.service.notes.refunded.filter((one) => one === "pay_new_page")).toHaveLength(1);
  });

  it("is notified when the list of tools changes", async () => {
    const client = await server.client({ name: "listening" });
    const told = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve());
    });
    const subscription = await client.listen({ toolsListChanged: true });
    server.gateway.notifyToolsChanged();
    await told;
    await subscription.close();
  });

  it("has its trace stored with the call if the trace is valid", async () => {
    const client = await server.client({ name: "traced" });
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    for (const [given, kept] of [
      [traceparent, traceparent],
      ["<script>", undefined],
    ]) {
      const answer = await client.callTool({
        name: "notes_list",
        arguments: {},
        _meta: { traceparent: given },
      });
      const call = (answer._meta as Record<string, string>)["dev.paraph/call"]!;
      expect((await server.service.store.load({ tenant: "acme", call }))?.trace).toBe(kept);
    }
  });

  it("that supports tasks gets the call as a task, and reads the result from it", async () => {
    const created = await task("tools/call", refund("pay_task"));
    expect(created.result).toMatchObject({ resultType: "task", status: "working", pollIntervalMs: 5_000 });
    const { taskId } = created.result;
    expect((await task("tasks/get", { taskId })).result).toMatchObject({ status: "working", taskId });
    // [TRUST 9] Another principal's task is unknown.
    expect((await task("tasks/get", { taskId }, "other")).error).toMatchObject({ code: -32602 });
    await server.decide("approve");
    await server.waitForClose(taskId);
    expect((await task("tasks/get", { taskId })).result).toMatchObject({
      status: "completed",
      result: { structuredContent: { for: "pay_task" } },
    });
  });

  it("[P6] keeps its task when a person edits the call, and gets the result of the edited call", async () => {
    const { taskId } = (await task("tools/call", refund("pay_edited"))).result;
    await server.edit({ payment: "pay_edited", cents: 1 });
    expect((await task("tasks/get", { taskId })).result).toMatchObject({ status: "working", taskId });
    await server.decide("approve");
    await expect
      .poll(async () => (await task("tasks/get", { taskId })).result)
      .toMatchObject({ status: "completed", taskId, result: { structuredContent: { for: "pay_edited" } } });
    expect(server.service.notes.refunded.filter((one) => one === "pay_edited")).toHaveLength(1);
  });

  it("withdraws a call by cancelling its task", async () => {
    const { taskId } = (await task("tools/call", refund("pay_cancelled"))).result;
    expect((await task("tasks/cancel", { taskId })).result).toBeDefined();
    expect((await task("tasks/get", { taskId })).result).toMatchObject({ status: "cancelled" });
    expect(server.service.notes.refunded).not.toContain("pay_cancelled");
  });
});

/** Sends a task request directly, because the SDK's client does not support tasks. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function task(method: string, params: Record<string, unknown>, as = "bot"): Promise<any> {
  const named = String(params.name ?? params.taskId);
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "tasks", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const response = await server.post(
    { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } },
    { as, "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": named },
  );
  return response.json();
}
