import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const patiently = { prefer: "wait=30" };

/** Approves the newest open approval, as a person who is still allowed to. */
async function approve(): Promise<void> {
  const { approvals } = (await server.get("/v1/approvals", "audit")).body;
  const { approval, digest } = approvals[0];
  await server.post(`/v1/approvals/${approval}/decision`, "audit", { decision: "approve", digest });
}

it("[TRUST 33] a person who is frozen while they wait for a call gets no result", async () => {
  const { body } = await server.call("billing.refund", { payment: "pay_1", cents: 1 });
  const waiting = server.get(`/v1/calls/${body.call}`, "bo", patiently);
  await expect.poll(() => server.service.countWaiters()).toBe(1);
  server.service.store.freeze("acme", { id: "freeze_1", kind: "principal", subject: "bo", by: "ana" });
  await approve();
  const { status, body: response } = await waiting;
  expect([status, response.code]).toEqual([401, "not-authenticated"]);
  server.service.store.thaw("acme", "freeze_1");
});

it("[TRUST 21] a key that is revoked while its holder waits gets no result, however it waits", async () => {
  const plan = {
    version: 1,
    steps: [{ id: "one", capability: "billing.refund", input: { payment: "pay_2", cents: 1 } }],
  };
  const { body } = await server.post("/v1/plans", "other", { plan });
  const waits = [
    server.get(`/v1/plans/${body.call}`, "other", patiently),
    server.get(`/v1/calls/${body.call}`, "other", patiently),
  ];
  await expect.poll(() => server.service.countWaiters()).toBe(2);
  const placed = server.call("billing.refund", { payment: "pay_3", cents: 1 }, patiently, "other");
  await expect.poll(() => server.service.countWaiters()).toBe(3);
  server.service.revoke("key-other");
  await approve();
  await approve();
  for (const { status, body: told } of await Promise.all([...waits, placed]))
    expect([status, told.code]).toEqual([401, "not-authenticated"]);
});
