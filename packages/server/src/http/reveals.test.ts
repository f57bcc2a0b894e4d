import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const secret = "pay_secret_7";
async function ask() {
  const { body } = await server.call("billing.refund", { payment: secret, cents: 1250 });
  const { id, digest } = body.waiting.approval;
  return { call: String(body.call), id: String(id), digest: String(digest) };
}
const reveal = (id: string, digest: string, as: string) =>
  server.post(`/v1/approvals/${id}/reveal`, as, { digest });
const listReveals = async (call: string) => {
  const { events } = (await server.get(`/v1/calls/${call}/events`, "bo")).body;
  return events.filter(({ type }: { type: string }) => type === "dev.paraph.call.revealed.v1");
};
const readCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

it("[TRUST 16] a reveal is recorded first, and shows the values in its own response only", async () => {
  const { call, id, digest } = await ask();
  const before = await server.get(`/v1/approvals/${id}`, "bo");
  expect([before.body.masked, JSON.stringify(before.body).includes(secret)]).toEqual([["payment"], false]);
  const { status, body, headers } = await reveal(id, digest, "bo");
  expect([status, body.masked, body.input]).toEqual([200, [], { payment: secret, cents: 1250 }]);
  expect([body.preview.changes[0].target, body.digest]).toEqual([`payment:${secret}`, digest]);
  expect(headers.get("cache-control")).toBe("no-store");
  expect(await listReveals(call)).toMatchObject([{ data: { by: "bo", paths: ["payment"] } }]);
  expect(JSON.stringify((await server.get(`/v1/approvals/${id}`, "bo")).body)).not.toContain(secret);
  expect(JSON.stringify(server.lines)).not.toContain(secret);
});

it("[TRUST 16] only a person whose approval would count reveals, with the current digest, while the round is open", async () => {
  const { call, id, digest } = await ask();
  const attempts = [
    [await reveal(id, digest, "ana"), 403, "approver-not-allowed"],
    [await reveal(id, digest, "bot"), 403, "approver-not-allowed"],
    [await reveal(id, digest, "eve"), 404, "approval-unknown"],
    [await reveal(id, "0".repeat(64), "bo"), 409, "approval-changed"],
  ] as const;
  for (const [response, status, code] of attempts) {
    expect(readCode(response)).toEqual([status, code]);
    expect(JSON.stringify(response.body)).not.toContain(secret);
  }
  server.service.narrow("key-bo", ["read"]);
  expect(readCode(await reveal(id, digest, "bo"))).toEqual([403, "scope-missing"]);
  server.service.narrow("key-bo", undefined);
  await server.post(`/v1/approvals/${id}/decision`, "bo", { decision: "deny", digest });
  expect(readCode(await reveal(id, digest, "bo"))).toEqual([409, "approval-closed"]);
  expect(await listReveals(call)).toEqual([]);
});
