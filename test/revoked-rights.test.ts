// Tests that rights do not outlive their holder or pass to another person without consent, over HTTP with real servers.
import { defineCapability, type Principal } from "@paraph/core";
import { defineConfig } from "@paraph/server";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "./support/eventually.ts";
import { TestParaph } from "./support/servers/test-paraph.ts";
import { SoftAuthenticator } from "./support/soft-authenticator.ts";

const administrator = (id: string): Principal => ({
  tenant: "acme",
  id,
  kind: "person",
  groups: ["paraph:admins"],
});
const pay = defineCapability({
  name: "bank.pay",
  version: 1,
  summary: "Pay",
  effect: "write",
  idempotency: "natural",
  input: z.object({ to: z.string() }),
  output: z.object({}),
  apply: async () => ({}),
});
const paraph = await TestParaph.start(defineConfig({ policy: "balanced", capabilities: [pay] }), [
  administrator("ana"),
  administrator("bo"),
  administrator("mal"),
  { tenant: "acme", id: "bea", kind: "person", groups: ["paraph:break-glass"] },
  { tenant: "acme", id: "bot", kind: "agent", owner: "ana" },
]);
afterAll(() => paraph.stop());

/** Waits until the call is in one of these states, and returns it as an administrator sees it. */
async function seen(call: string, ...states: readonly string[]) {
  const look = async () => (await paraph.request("bo", "GET", `/v1/calls/${call}`)).body;
  await expect.poll(async () => states.includes((await look()).state), { interval: 50 }).toBe(true);
  return look();
}

async function administer(as: string, verb: string, input: object) {
  // A process that does not know of a thaw yet refuses the call for a short time.
  const call = await eventually(async () => {
    const request = { capability: `admin.${verb}`, input };
    const { status, body } = await paraph.request(as, "POST", "/v1/calls", request);
    expect(status).toBeLessThan(300);
    return body.call;
  });
  return seen(call, "asking", "closed");
}

async function approve({ waiting }: { waiting: { approval: { id: string; digest: string } } }, as = "bo") {
  const { id, digest } = waiting.approval;
  return paraph.request(as, "POST", `/v1/approvals/${id}/decision`, { decision: "approve", digest });
}

async function agreed(verb: string, input: object) {
  const asked = await administer("ana", verb, input);
  await approve(asked);
  return seen(asked.call, "closed");
}

describe("[TRUST 33] an administrative change that waits for its approval", () => {
  const ways: [string, () => Promise<{ output: object }>, string][] = [
    ["frozen", () => administer("ana", "freeze", { kind: "principal", subject: "mal" }), "thaw"],
    ["disabled", () => agreed("principal_disable", { principal: "mal" }), "principal_enable"],
  ];
  it.each(ways)(
    "is not performed while its requester is %s, even if it is approved",
    async (way, bar, verb) => {
      const group = `eng-${way}`;
      const asked = await administer("mal", "group_change", { group, add: ["mal"] });
      const { output } = await bar();
      expect((await approve(asked)).status).toBe(200);
      expect((await seen(asked.call, "parked", "closed")).state).toBe("parked");
      const { body } = await paraph.request("ana", "GET", "/v1/groups");
      expect(JSON.stringify(body)).not.toContain(group);
      const { freeze, ...rest } = output as { freeze: string };
      expect((await agreed(verb, verb === "thaw" ? { freeze } : { freeze, ...rest })).outcome.kind).toBe(
        "succeeded",
      );
      expect((await seen(asked.call, "closed")).outcome.kind).toBe("succeeded");
    },
  );
});

it("[TRUST 34] an administrator cannot delegate another person's groups, to themselves or to a third person", async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  for (const delegate of ["ana", "mal"]) {
    const { status } = await paraph.request("ana", "POST", "/v1/delegations", {
      person: "bo",
      delegate,
      until,
    });
    expect(status).toBe(422);
  }
  expect((await paraph.request("bo", "GET", "/v1/delegations")).body).toEqual({ delegations: [] });
});

it("[TRUST 33] a break-glass grant lets no call pass once the person who created it is frozen", async () => {
  const glass = { capability: "bank.pay", principal: "bot", reason: "the site is down" };
  expect((await administer("bea", "break_glass", glass)).outcome.kind).toBe("succeeded");
  expect((await administer("ana", "freeze", { kind: "principal", subject: "bea" })).outcome.kind).toBe(
    "succeeded",
  );
  const { body } = await paraph.request("bot", "POST", "/v1/calls", {
    capability: "bank.pay",
    input: { to: "bea" },
  });
  expect((await seen(body.call, "asking", "closed")).state).toBe("asking");
});

it("[TRUST 14] [TRUST 27] an administrator cannot put their own passkey or account into another person's request", async () => {
  const passkey = ({ credential, cose }: SoftAuthenticator) => ({
    person: "mal",
    credential,
    publicKey: cose,
    label: "phone",
  });
  const slack = (account: string) => ({
    person: "mal",
    team: "T1",
    account,
    teamName: "Acme",
    accountName: "mal",
  });
  const changes: [string, object, object][] = [
    ["passkey_add", passkey(new SoftAuthenticator()), passkey(new SoftAuthenticator())],
    ["slack_link", slack("UMAL"), slack("UANA")],
  ];
  for (const [verb, own, other] of changes) {
    const { call, waiting } = await administer("mal", verb, own);
    const { id, digest } = waiting.approval;
    for (const way of ["edit/preview", "edit"]) {
      const edit = { digest, input: other };
      expect(await paraph.request("ana", "POST", `/v1/approvals/${id}/${way}`, edit)).toMatchObject({
        status: 409,
        body: { code: "edit-refused", detail: expect.stringContaining("only") },
      });
    }
    await approve({ waiting });
    expect(await seen(call, "closed")).toMatchObject({ input: own, outcome: { kind: "succeeded" } });
  }
});
