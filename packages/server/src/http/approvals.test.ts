import { verifyReceipt } from "@paraph/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const refund = async (payment = "pay_4711") => {
  const { body } = await server.post("/v1/calls", "bot", {
    capability: "billing.refund",
    input: { payment, cents: 1250 },
    purpose: `Refund ${payment}, please`,
  });
  return { call: body.call as string, ...(body.waiting.approval as { id: string; digest: string }) };
};
const decide = (id: string, as: string, decision: object) =>
  server.post(`/v1/approvals/${id}/decision`, as, decision);

it("lists open approvals, for people only", async () => {
  const { id, call, digest } = await refund();
  const { status, body } = await server.get("/v1/approvals?status=open&limit=1", "bo");
  expect([status, body.next]).toEqual([200, id]);
  expect(body.approvals).toMatchObject([
    {
      approval: id,
      call,
      digest,
      status: "open",
      round: 1,
      headline: "Refund €12.50 of •••",
      capability: "billing.refund",
      principal: "bot",
      votes: 0,
    },
  ]);
  expect((await server.get(`/v1/approvals?before=${id}`, "bo")).body.approvals).toEqual([]);
  expect((await server.get("/v1/approvals?status=odd", "bo")).status).toBe(400);
  expect((await server.get("/v1/approvals", "eve")).body).toEqual({ approvals: [] });
  const agent = await server.get("/v1/approvals", "bot");
  expect([agent.status, agent.body.code]).toEqual([403, "approver-not-allowed"]);
});

it("[TRUST 12] lists who can approve, without the owner of the requester, and for people only", async () => {
  const { id, digest } = await refund();
  const approvers = (as: string) => server.get(`/v1/approvals/${id}/approvers`, as);
  expect((await approvers("ana")).body).toEqual({
    approvers: [
      { id: "bo", groups: [], inPlaceOf: [] },
      { id: "audit", groups: [], inPlaceOf: [] },
    ],
    hasMore: false,
  });
  expect((await approvers("bot")).body.code).toBe("approver-not-allowed");
  expect((await approvers("eve")).body.code).toBe("approval-unknown");
  await decide(id, "bo", { decision: "deny", digest });
  expect((await approvers("ana")).body).toEqual({ approvers: [], hasMore: false });
});

it("lists the open approvals of one requester and capability separately", async () => {
  const { id } = await refund();
  const burn = await server.call("notes.burn", { text: "another capability" });
  const list = (query: string, as = "bo") => server.get(`/v1/approvals?${query}`, as);
  const of = "principal=bot&capability=billing.refund";
  const { body } = await list(of);
  expect(body.approvals[0]).toMatchObject({ approval: id, voter: "approver" });
  expect(new Set(body.approvals.map((one: { capability: string }) => one.capability))).toEqual(
    new Set(["billing.refund"]),
  );
  expect((await list("principal=bot&capability=notes.burn&limit=1")).body.approvals).toMatchObject([
    { approval: burn.body.waiting.approval.id },
  ]);
  expect((await list(of, "eve")).body).toEqual({ approvals: [] });
  for (const wrong of [
    "principal=bot",
    "capability=billing.refund",
    `${of}&status=denied`,
    `${of}&before=${id}`,
  ])
    expect([wrong, (await list(wrong)).body.code]).toEqual([wrong, "parameter-invalid"]);
});

it("shows an approver the whole round, with sensitive fields masked everywhere", async () => {
  const { id, call, digest } = await refund("pay_secret_1");
  const { status, body } = await server.get(`/v1/approvals/${id}`, "bo");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    kind: "round",
    approval: id,
    call,
    digest,
    newest: id,
    status: "open",
    round: 1,
    headline: "Refund €12.50 of •••",
    contract: { version: 1, summary: "Refund a payment", effect: "write", risk: "high" },
    principal: { id: "bot", kind: "agent", owner: "ana" },
    input: { payment: "•••", cents: 1250 },
    previewed: true,
    preview: { changes: [{ kind: "update", target: "payment:•••" }], basis: { status: "captured" } },
    purpose: { text: "Refund •••, please", checked: false },
    guards: [{ id: "high-risk-needs-a-person", quorum: 1 }],
    votes: [],
    masked: ["payment"],
    links: { decision: `/v1/approvals/${id}/decision` },
  });
  expect(JSON.stringify(body)).not.toContain("pay_secret_1");
  const response = await server.get(`/v1/approvals/${id}`, "bot");
  expect([response.body.input.payment, response.body.masked]).toEqual(["pay_secret_1", []]);
});

it("reports that a capability has no preview", async () => {
  const { body } = await server.call("notes.burn", { text: "x" });
  const approval = await server.get(`/v1/approvals/${body.approval.id}`, "bo");
  expect([approval.body.previewed, approval.body.preview]).toEqual([false, null]);
});

it("[P12] Paraph performs an approved call, and answers the approver with the masked call", async () => {
  const { id, call, digest } = await refund("pay_secret_2");
  const { status, body } = await decide(id, "bo", { decision: "approve", digest, reason: "slip seen" });
  expect([status, body.call, body.input, body.masked]).toEqual([
    200,
    call,
    { payment: "•••", cents: 1250 },
    ["payment"],
  ]);
  const closed = await server.get(`/v1/calls/${call}`, "bot", { prefer: "wait=60" });
  expect(closed.body).toMatchObject({ outcome: { kind: "succeeded" }, output: { for: "pay_secret_2" } });
  expect(server.service.notes.refunded).toContain("pay_secret_2");
  const response = await server.get(`/v1/calls/${call}`, "bo");
  expect(response.body.output).toEqual({ refund: "re_1", for: "•••" });
  const round = (await server.get(`/v1/approvals/${id}`, "bo")).body;
  expect([round.status, round.votes.length, round.links.decision]).toEqual(["approved", 1, undefined]);
});

it("rejects a decision on a closed, changed or unknown approval, by an ineligible voter, or with an invalid body", async () => {
  const { id, digest } = await refund();
  const code = async (as: string, decision: object, approval = id) => {
    const { status, body } = await decide(approval, as, decision);
    return [status, body.code];
  };
  const approve = { decision: "approve", digest };
  expect(await code("bo", { ...approve, digest: "0".repeat(64) })).toEqual([409, "approval-changed"]);
  expect(await code("ana", approve)).toEqual([403, "approver-not-allowed"]);
  const voter = async (as: string) => (await server.get(`/v1/approvals/${id}`, as)).body.voter;
  expect([await voter("ana"), await voter("bo"), await voter("bot")]).toEqual([
    "own-call",
    "approver",
    undefined,
  ]);
  expect(await code("bot", approve)).toEqual([403, "approver-not-allowed"]);
  expect(await code("bo", { ...approve, digest: "abc" })).toEqual([422, "body-invalid"]);
  expect(await code("bo", { ...approve, decision: "maybe" })).toEqual([422, "body-invalid"]);
  expect(await code("bo", approve, "ask_none")).toEqual([404, "approval-unknown"]);
  expect(await code("bo", { decision: "deny", digest })).toEqual([200, undefined]);
  expect(await code("bo", approve)).toEqual([409, "approval-closed"]);
});

it("[TRUST 9] an unrelated agent or another tenant can neither see nor decide an approval", async () => {
  const { id, digest } = await refund();
  for (const as of ["other", "eve"]) {
    expect((await server.get(`/v1/approvals/${id}`, as)).body.code).toBe("approval-unknown");
    expect((await decide(id, as, { decision: "deny", digest })).status).toBe(404);
  }
  expect((await server.get(`/v1/approvals/${id}`, "bo")).body.status).toBe("open");
});

it("[P5] a replaced round is void and names the newest round", async () => {
  const { id, call, digest } = await refund();
  server.service.notes.status = "disputed";
  await decide(id, "bo", { decision: "approve", digest });
  const again = async () => (await server.get(`/v1/calls/${call}`, "bot")).body;
  await expect.poll(async () => (await again()).approval.round).toBe(2);
  const { approval } = await again();
  const old = await server.get(`/v1/approvals/${id}`, "bo");
  expect([old.status, old.body]).toEqual([
    200,
    {
      kind: "past-round",
      approval: id,
      call,
      status: "void",
      newest: approval.id,
      links: {
        self: `/v1/approvals/${id}`,
        call: `/v1/calls/${call}`,
        newest: `/v1/approvals/${approval.id}`,
      },
    },
  ]);
  expect((await decide(id, "bo", { decision: "approve", digest })).body.code).toBe("approval-closed");
});

it("a receipt verifies, and discloses to other readers nothing that is masked for them", async () => {
  const { id, call, digest } = await refund("pay_secret_3");
  const early = await server.get(`/v1/calls/${call}/receipt`, "bot");
  expect([early.status, early.body.code]).toEqual([404, "receipt-pending"]);
  expect(early.body.detail).toContain("still open");
  await decide(id, "bo", { decision: "deny", digest });

  const { body: trusted } = await server.get("/v1/keys");
  const response = await server.get(`/v1/calls/${call}/receipt`, "bot");
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "application/vnd.paraph.receipt.v1+json",
  ]);
  const verified = await verifyReceipt(response.body, trusted.keys);
  expect([verified.story.outcome.kind, verified.disclosed]).toEqual([
    "denied",
    ["input", "purpose", "preview", "headline", "request"],
  ]);

  const theirs = await server.get(`/v1/calls/${call}/receipt`, "bo");
  // Neither the headline nor the disclosed policy request contains a sensitive value of the call.
  expect((await verifyReceipt(theirs.body, trusted.keys)).disclosed).toEqual(["headline", "request"]);
  expect(JSON.stringify(theirs.body)).not.toContain("pay_secret_3");
});
