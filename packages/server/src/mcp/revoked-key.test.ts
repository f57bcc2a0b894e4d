import { afterAll, beforeAll, expect, it } from "vitest";
import { McpTestServer } from "./testing/server.ts";

const server = new McpTestServer();
beforeAll(() => server.start({ patienceMs: 30_000 }));
afterAll(() => server.stop());

it("[TRUST 21] a key that is revoked while its client waits gets no result", async () => {
  const client = await server.client({ as: "other" });
  const pending = client.callTool({ name: "billing_refund", arguments: { payment: "pay_1", cents: 5 } });
  const ended = pending.then(JSON.stringify, String);
  await server.waitForApprovals();
  await expect.poll(() => server.service.countWaiters()).toBe(1);
  server.service.revoke("key-other");
  await server.decide("approve");
  const told = await ended;
  expect(told).toContain("no longer in force");
  expect(told).not.toContain("re_1");
  expect(server.service.notes.refunded).toEqual(["pay_1"]);
});

it("[TRUST 21] a key that is revoked while its client listens ends the stream", async () => {
  const [kept, revoked] = await Promise.all([server.client(), server.client({ as: "eve" })]);
  const subscription = await kept.listen({ toolsListChanged: true });
  const ending = await revoked.listen({ toolsListChanged: true });
  server.service.revoke("key-eve");
  expect(await ending.closed).not.toBe("local");
  expect(await Promise.race([subscription.closed, Promise.resolve("open")])).toBe("open");
});

it("[TRUST 21] a key cannot undo a plan whose steps are outside its scopes", async () => {
  const plan = {
    version: 1,
    steps: [{ id: "one", capability: "notes.pin", input: { place: "door", text: "hi" } }],
  };
  const { call } = await server.service.requestCall({
    principal: { tenant: "acme", id: "bot", kind: "agent", owner: "ana" },
    capability: "plan.apply",
    input: plan,
  });
  await server.waitForClose(call.call);
  server.service.narrow("key-bot", ["calls:plan.*"]);
  const client = await server.client();
  const answer = await client.callTool({ name: "undo_call", arguments: { call: call.call } });
  expect(JSON.stringify(answer)).toContain("lacks the scope");
  expect(server.service.store.calls().filter(({ capability }) => capability === "plan.apply")).toHaveLength(
    1,
  );
});
