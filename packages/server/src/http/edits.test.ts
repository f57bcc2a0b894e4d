import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

interface Round {
  readonly call: string;
  readonly id: string;
  readonly digest: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
const toRound = (body: any): Round => ({ call: body.call, ...body.waiting.approval });
const ask = async (capability: string, input: object, more: object = {}) =>
  toRound((await server.post("/v1/calls", "bot", { capability, input, ...more })).body);
const refund = () => ask("billing.refund", { payment: "pay_1", cents: 1250 });
const edit = ({ id, digest }: Round, as: string, input: object) =>
  server.post(`/v1/approvals/${id}/edit`, as, { digest, input });
const approve = ({ id, digest }: Round, as: string) =>
  server.post(`/v1/approvals/${id}/decision`, as, { digest, decision: "approve" });
const readCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
const notAllowed = [403, "approver-not-allowed"];
const page = async (path: string, as: string) =>
  (await server.fetch(path, { headers: { cookie: `__Host-paraph=${as}` } })).text();

it("[TRUST 28] an editor cannot approve their edit by single or bulk decision, reassignment, page or inbox", async () => {
  const next = toRound((await edit(await refund(), "bo", { payment: "pay_1", cents: 900 })).body);
  expect(readCode(await approve(next, "bo"))).toEqual(notAllowed);
  const { id, digest } = next;
  const many = { decisions: [{ approval: id, digest, decision: "approve" }] };
  const { body } = await server.post("/v1/approvals/decisions", "bo", many);
  expect(body.results).toMatchObject([{ problem: { code: "approver-not-allowed" } }]);
  const response = await server.post(`/v1/approvals/${id}/reassign`, "bo", { digest, to: "audit" });
  expect(readCode(response)).toEqual(notAllowed);
  const own = await page(`/approvals/${id}?opened=1`, "bo");
  expect(own).toContain("You edited this request, so another person has to approve it.");
  expect(own).not.toContain('value="approve"');
  expect(await page(`/approvals/${id}?opened=1`, "audit")).toContain('value="approve"');
  expect(await page("/approvals", "bo")).toContain("you edited it");
  expect((await approve(next, "audit")).status).toBe(200);
});

it("[TRUST 14] [TRUST 21] an edit requires the scope to call the edited capability", async () => {
  const round = await refund();
  const less = { payment: "pay_1", cents: 1 };
  for (const scopes of [["decide"], ["decide", "calls:notes.*"], ["decide", "admin"]]) {
    server.service.narrow("key-bo", scopes);
    const { status, body } = await edit(round, "bo", less);
    expect([status, body.code, body.scopes]).toEqual([403, "scope-missing", ["calls:billing.refund"]]);
  }
  server.service.narrow("key-bo", ["decide", "calls:billing.*"]);
  expect((await edit(round, "bo", less)).status).toBe(200);
  server.service.narrow("key-bo", undefined);
});

it("[TRUST 28] a retry of an edited call keeps its editors and its requirements", async () => {
  const asked = await ask("notes.lose", { text: "a" }, { requirements: { people: 1 } });
  const next = toRound((await edit(asked, "bo", { text: "b" })).body);
  await approve(next, "audit");
  const waited = await server.get(`/v1/calls/${next.call}`, "bo", { prefer: "wait=60" });
  expect(waited.body.outcome.kind).toBe("unknown");
  const found = { finding: "not-happened", reason: "I looked." };
  await server.post(`/v1/calls/${next.call}/resolution`, "bo", found);
  const { body } = await server.post(`/v1/calls/${next.call}/retry`, "bo", {});
  expect(body).toMatchObject({ editedBy: "bo", input: { text: "b" }, waiting: { for: "approval" } });
  expect(readCode(await approve(toRound(body), "bo"))).toEqual(notAllowed);
});

const previewEdit = ({ id, digest }: Round, as: string, input: object) =>
  server.post(`/v1/approvals/${id}/edit/preview`, as, { digest, input });

it("[P3] [TRUST 16] the preview of an edit masks what the editor sees masked, and changes nothing", async () => {
  const round = await ask("billing.refund", { payment: "pay_secret_3", cents: 1250 });
  const { status, body } = await previewEdit(round, "bo", { payment: "•••", cents: 900 });
  expect([status, body.headline, body.masked, body.ruling]).toEqual([
    200,
    "Refund €9.00 of •••",
    ["payment"],
    "ask",
  ]);
  expect(body.preview.changes).toMatchObject([{ target: "payment:•••", summary: "Refund 900 cents" }]);
  const kept = await server.get(`/v1/approvals/${round.id}`, "bo");
  expect([kept.body.status, kept.body.digest, kept.body.input.cents]).toEqual(["open", round.digest, 1250]);
  const next = toRound((await edit(round, "bo", { payment: "•••", cents: 900 })).body);
  const { headline, preview } = (await server.get(`/v1/approvals/${next.id}`, "bo")).body;
  expect({ headline, preview }).toEqual({ headline: body.headline, preview: body.preview });
});

it("[TRUST 14] [TRUST 28] the preview of an edit has the limits of the edit", async () => {
  const round = await refund();
  const less = { payment: "pay_1", cents: 1 };
  expect(readCode(await previewEdit(round, "bot", less))).toEqual(notAllowed);
  expect(readCode(await previewEdit(round, "eve", less))).toEqual([404, "approval-unknown"]);
  expect(readCode(await previewEdit(round, "bo", { payment: "pay_1", cents: -1 }))[0]).toBe(422);
  expect(readCode(await previewEdit({ ...round, digest: "0".repeat(64) }, "bo", less))).toEqual([
    409,
    "approval-changed",
  ]);
  server.service.narrow("key-bo", ["decide"]);
  expect(readCode(await previewEdit(round, "bo", less))).toEqual([403, "scope-missing"]);
  server.service.narrow("key-bo", undefined);
  const { ports } = server.service;
  const { freezes } = ports;
  Object.assign(ports, { freezes: { inForce: () => ({ id: "freeze_1", kind: "tenant" }) } });
  expect(readCode(await previewEdit(round, "bo", less))[1]).toBe("frozen");
  Object.assign(ports, { freezes });
  await server.post(`/v1/approvals/${round.id}/decision`, "bo", { digest: round.digest, decision: "deny" });
  expect(readCode(await previewEdit(round, "bo", less))).toEqual([409, "approval-closed"]);
});
