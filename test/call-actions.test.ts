// Tests the actions other than decisions that people take on calls, over HTTP and on real rows.
import { defineCapability, type Probe } from "@paraph/core";
import { afterAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { TestParaph } from "./support/servers/test-paraph.ts";

const outside = { lose: false, found: { kind: "unsure" } as Probe, effects: [] as string[] };
const write = (name: string) =>
  defineCapability({
    name,
    version: 1,
    summary: "Write a name",
    effect: "write",
    idempotency: "probe",
    input: z.object({ name: z.string() }),
    output: z.object({}),
    retry: { retries: 0 },
    apply: async (_, { call }) => {
      if (outside.lose) throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
      outside.effects.push(call);
      return {};
    },
    probe: async () => outside.found,
  });

const paraph = await TestParaph.start(
  {
    capabilities: [write("notes.write"), write("db.write")],
    // Only this rule requires an approval. A guard without a group would accept votes of all people.
    rules: [{ capability: "db.write", ask: "dba", people: 2 }],
    unattended: ["db.write"],
    ask: { maxDenials: 3 },
  },
  [
    { tenant: "acme", id: "owner", kind: "person" },
    { tenant: "acme", id: "ana", kind: "person", groups: ["dba"] },
    { tenant: "acme", id: "dora", kind: "person", groups: ["dba"] },
    { tenant: "acme", id: "bo", kind: "person" },
    { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
    { tenant: "acme", id: "flooder", kind: "agent", owner: "owner" },
    { tenant: "acme", id: "nagger", kind: "agent", owner: "owner" },
  ],
);
afterAll(() => paraph.stop());
beforeEach(() => {
  outside.lose = false;
  outside.found = { kind: "unsure" };
});

interface Asked {
  readonly call: string;
  readonly approval: string;
  readonly digest: string;
}

async function ask(as: string, capability: string, name: string): Promise<Asked> {
  const { body } = await paraph.request(as, "POST", "/v1/calls", { capability, input: { name } });
  expect(body.waiting).toMatchObject({ for: "approval" });
  return { call: body.call, approval: body.waiting.approval.id, digest: body.waiting.approval.digest };
}

const decide = (as: string, { approval, digest }: Asked, decision = "approve") =>
  paraph.request(as, "POST", `/v1/approvals/${approval}/decision`, { decision, digest });
const ended = (call: string) => paraph.agent("bot").wait(call, { timeoutMs: 120_000 });

it("[P7] probing again asks the external system, which may be unsure, and records its finding once", async () => {
  const asked = await ask("bot", "notes.write", "lost");
  const probe = (as = "ana") => paraph.request(as, "POST", `/v1/calls/${asked.call}/probe`, {});
  expect((await probe()).body.code).toBe("not-unknown");
  outside.lose = true;
  await decide("ana", asked);
  expect(await ended(asked.call)).toMatchObject({ kind: "unknown" });

  expect((await probe("flooder")).status).toBe(404);
  expect(await probe()).toMatchObject({
    status: 200,
    body: { found: "unsure", call: { outcome: { kind: "unknown" } } },
  });
  expect((await paraph.request("ana", "GET", `/v1/calls/${asked.call}`)).body.resolution).toBeUndefined();
  outside.found = { kind: "absent" };
  expect((await probe("bot")).body).toMatchObject({
    found: "not-happened",
    call: { outcome: { kind: "unknown" }, resolution: { finding: "not-happened", by: "bot" } },
  });
  expect(await probe()).toMatchObject({ status: 409, body: { code: "not-unknown" } });
  const events = await paraph.database.query(
    "select data from paraph.event where call = $1 and kind = 'resolved'",
    [asked.call],
  );
  expect(events).toMatchObject([{ data: { finding: "not-happened", by: "bot", how: "probe" } }]);
});

it("[TRUST 19] a flood is decided in one request with a digest for each; a stale one does not block the others", async () => {
  const asked = await Promise.all(
    Array.from({ length: 8 }, (_, n) => ask("flooder", "notes.write", `flood-${n}`)),
  );
  const { body } = await paraph.request("ana", "GET", "/v1/approvals");
  const bundle = body.bundles.find(({ principal }: { principal: string }) => principal === "flooder");
  expect(bundle).toMatchObject({ capability: "notes.write", count: 8 });
  expect(body.approvals.map(({ principal }: { principal: string }) => principal)).not.toContain("flooder");
  await decide("bo", asked[0]!, "deny");

  const decisions = asked.map(({ approval, digest }, n) => ({
    approval,
    decision: n % 2 ? "deny" : "approve",
    digest: n === 7 ? "0".repeat(64) : digest,
  }));
  const { body: answer } = await paraph.request("ana", "POST", "/v1/approvals/decisions", { decisions });
  expect(answer.results.map((each: { problem?: { code: string } }) => each.problem?.code)).toEqual([
    "approval-closed",
    ...Array.from({ length: 6 }),
    "approval-changed",
  ]);
  const approved = asked.filter((_, n) => [2, 4, 6].includes(n)).map(({ call }) => call);
  await expect.poll(() => [...outside.effects].sort()).toEqual(approved.sort());
  const mixed = [asked[7]!, await ask("flooder", "db.write", "other")].map(({ approval, digest }) => ({
    approval,
    digest,
    decision: "approve",
  }));
  const refused = await paraph.request("ana", "POST", "/v1/approvals/decisions", { decisions: mixed });
  expect([refused.status, refused.body.code]).toEqual([422, "body-invalid"]);
});

it("the page of a flood shows each request and accepts a decision for each from a logged-in approver", async () => {
  const asked = await Promise.all(
    Array.from({ length: 6 }, (_, n) => ask("bot", "notes.write", `page-${n}`)),
  );
  const browser = await paraph.browser("acme", "ana");
  const address = `${paraph.url}/approvals/bundle?principal=bot&capability=notes.write`;
  const page = await browser.open(address);
  expect(page.text).toContain("requested 6 calls");
  const [yes, no] = [asked[0]!, asked[1]!];
  const sent = await browser.submit(page, {
    [`decision:${yes.approval}`]: "approve",
    [`decision:${no.approval}`]: "deny",
    reason: "one of them",
  });
  expect(sent.text).toContain("2 of 2 decisions recorded");
  expect(await ended(yes.call)).toMatchObject({ kind: "succeeded" });
  expect(await ended(no.call)).toMatchObject({ kind: "denied", reason: "one of them" });
  const { body } = await paraph.request("ana", "GET", `/v1/calls/${asked[2]!.call}`);
  expect(body.state).toBe("asking");
});

it("[TRUST 13] after a reassignment, the new approver votes with the group, and the former approver cannot vote", async () => {
  const asked = await ask("bot", "db.write", "handed");
  const reassign = (as: string, to: string) =>
    paraph.request(as, "POST", `/v1/approvals/${asked.approval}/reassign`, { digest: asked.digest, to });
  const refused = await decide("bo", asked);
  expect([refused.status, refused.body.code]).toEqual([403, "approver-not-allowed"]);
  // A person who may not approve the call may not reassign it.
  expect((await reassign("bo", "bo")).status).toBe(403);
  expect((await reassign("ana", "bo")).status).toBe(200);
  // A person who reassigned the call may neither decide on it nor reassign it again. The right to approve therefore
  // counts only once.
  expect((await decide("ana", asked)).status).toBe(403);
  expect((await reassign("ana", "dora")).status).toBe(403);
  expect((await decide("bo", asked)).status).toBe(200);
  expect((await decide("bo", asked)).status).toBe(200);
  expect((await paraph.request("ana", "GET", `/v1/calls/${asked.call}`)).body.state).toBe("asking");
  expect((await decide("dora", asked)).status).toBe(200);
  expect(await ended(asked.call)).toMatchObject({ kind: "succeeded" });
  const votes = await paraph.database.query(
    "select voter, groups from paraph.vote where approval = $1 order by voter",
    [asked.approval],
  );
  expect(votes).toEqual([
    { voter: "bo", groups: ["dba"] },
    { voter: "dora", groups: ["dba"] },
  ]);
});

it("[TRUST 19] after 3 denials an agent may request once a minute; the error says so, and a code is logged", async () => {
  for (let n = 0; n < 3; n += 1) await decide("ana", await ask("nagger", "notes.write", `no-${n}`), "deny");
  await ask("nagger", "notes.write", "once more");
  expect(paraph.logged).not.toContain("asks-slowed");
  const input = { name: "and again" };
  const slowed = await paraph.request("nagger", "POST", "/v1/calls", { capability: "notes.write", input });
  expect(slowed).toMatchObject({ status: 429, body: { code: "limit-reached" } });
  expect(slowed.body.detail).toContain("once a minute");
  expect(paraph.logged).toContain("asks-slowed");
});
