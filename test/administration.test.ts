// Tests administration over HTTP. Every change is a call, and most changes need a second person.
import { afterAll, describe, expect, it } from "vitest";
import { generateApiKey, provision } from "../packages/server/src/postgres/index.ts";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { type TestCallView, TestClient } from "./support/test-client.ts";

const cluster = await TestCluster.start();
afterAll(() => cluster.stop());
const { oracle, database } = cluster;
const bea = await provision(database.ownerUrl, async (p) => {
  await p.addToGroup("acme", "paraph:admins", "owner");
  await p.addPrincipal({ tenant: "acme", id: "bea", kind: "person", groups: ["paraph:break-glass"] });
  return p.createKey("acme", "bea");
});
const { url } = await cluster.startProcess("api,worker", { HIGH_EXPIRES: "5m" });
const client = new TestClient(url, cluster.keys);
const second = new TestClient(url, { agent: cluster.keys.agent, owner: bea });

/** Requests a call of `admin.*` as the administrator, and returns it once it waits for an approval or has closed. */
async function administer(verb: string, input: object, by = client): Promise<TestCallView> {
  const { body } = await by.request("owner", "POST", "/v1/calls", { capability: `admin.${verb}`, input });
  return seen(body.call, ({ state }) => state === "asking" || state === "closed");
}

/** Requests a call of `admin.*`, lets the second person approve it, and returns its output. */
async function agreed<Output>(
  verb: string,
  input: object,
  look: (view: TestCallView) => void = () => {},
): Promise<Output> {
  const view = await administer(verb, input);
  look(view);
  expect(view.waiting).toMatchObject({ for: "approval" });
  expect((await client.approve(view)).status).toBe(403);
  expect((await second.approve(view)).status).toBe(200);
  const ended = await seen(view.call, ({ state }) => state === "closed");
  expect(ended.outcome).toMatchObject({ kind: "succeeded" });
  return ended.output as Output;
}

async function seen(call: string, holds: (view: TestCallView) => boolean): Promise<TestCallView> {
  let view: TestCallView | undefined;
  await expect
    .poll(
      async () => {
        view = (await client.request("owner", "GET", `/v1/calls/${call}`)).body;
        return holds(view);
      },
      { interval: 50 },
    )
    .toBe(true);
  return view!;
}

describe("[TRUST 25] the kill switch", () => {
  it("is refused to agents and to people who are not administrators", async () => {
    const input = { kind: "principal", subject: "agent" };
    const byAgent = await client.call("admin.freeze", input, { wait: 60 });
    expect(byAgent.body.outcome).toMatchObject({ kind: "refused", code: "forbidden" });
    const byBea = await administer("freeze", input, second);
    expect(byBea.outcome).toMatchObject({ kind: "refused", code: "forbidden" });
    expect(await database.query("select from paraph.freeze")).toEqual([]);
  });

  it("[P12] parks a waiting call and rejects new calls; after the thaw the parked call is performed once", async () => {
    const { body: waiting } = await client.call("asked.keyed", { name: "door" });
    const frozen = await administer("freeze", {
      kind: "principal",
      subject: "agent",
      reason: "it runs away",
    });
    expect(frozen).toMatchObject({ outcome: { kind: "succeeded" }, output: { inFlight: [] } });
    const { freeze } = frozen.output as { freeze: string };
    const list = await client.request("owner", "GET", "/v1/freezes");
    expect(list.body.freezes).toMatchObject([{ freeze, kind: "principal", subject: "agent", by: "owner" }]);

    expect((await second.approve(waiting)).status).toBe(200);
    const parked = await seen(waiting.call, ({ state }) => state === "parked");
    expect(parked.waiting).toMatchObject({ for: "thaw" });
    const refused = await client.call("free.keyed", { name: "window" });
    expect(refused.body).toMatchObject({ code: "frozen" });

    expect(await agreed("thaw", { freeze })).toEqual({ resumed: 1 });
    // The process may have polled the freezes just before the thaw.
    const accepted = await client.call("free.keyed", { name: "thawed" }, { wait: 60 });
    expect(accepted.body).toMatchObject({ outcome: { kind: "succeeded" } });
    const done = await seen(waiting.call, ({ state }) => state === "closed");
    expect(done.outcome).toMatchObject({ kind: "succeeded" });
    expect(oracle.listEffects(waiting.call)).toHaveLength(1);
  });
});

it("[TRUST 12] the requester of a group change cannot approve it; a second person can", async () => {
  expect(await agreed("group_change", { group: "eng", add: ["bea"] })).toEqual({
    added: ["bea"],
    removed: [],
  });
  const groups = await client.request("owner", "GET", "/v1/groups");
  expect(groups.body.groups).toContainEqual({ group: "eng", members: ["bea"] });
  const last = await administer("group_change", { group: "paraph:admins", remove: ["owner"] });
  expect(last).toMatchObject({ outcome: { kind: "refused", code: "preview-failed" } });
});

it("[TRUST 21] a key of which the server has only the hash works, and is rejected within 2 s of its revocation", async () => {
  const { id, hash, key } = generateApiKey("acme");
  await agreed("key_create", { principal: "agent", keyId: id, hash, scopes: ["calls:free.*", "read"] });
  const holder = new TestClient(url, { agent: key, owner: key });
  const { body } = await holder.call("free.keyed", { name: "a" }, { wait: 60 });
  expect(body).toMatchObject({ outcome: { kind: "succeeded" } });
  expect((await holder.call("asked.keyed", { name: "a" })).status).toBe(403);

  expect((await administer("key_revoke", { keyId: id })).outcome).toMatchObject({ kind: "succeeded" });
  const status = async () => (await holder.request("agent", "GET", "/v1/me")).status;
  await expect.poll(status, { interval: 50 }).toBe(401);
  const leaks = await database.query("select from paraph.payload where body like $1", [
    `%${key.split("_")[3]}%`,
  ]);
  expect(leaks).toEqual([]);
});

describe("[TRUST 15] a grant", () => {
  it("of count 3 allows three calls without approval; the fourth needs one; each receipt names the grant", async () => {
    const { grant } = await agreed<{ grant: string }>("grant", {
      capability: "asked.keyed",
      principal: "agent",
      count: 3,
      expires: "10m",
      bounds: { name: { startsWith: "note-" } },
    });
    const outside = await client.call("asked.keyed", { name: "other" });
    expect(outside.body.waiting).toMatchObject({ for: "approval" });
    for (const name of ["note-1", "note-2", "note-3"]) {
      const { body } = await client.call("asked.keyed", { name }, { wait: 60 });
      expect(body.outcome).toMatchObject({ kind: "succeeded" });
      expect(oracle.listEffects(body.call)).toHaveLength(1);
      const { body: receipt } = await client.request("agent", "GET", `/v1/calls/${body.call}/receipt`);
      const { payload } = receipt.envelope as { payload: string };
      expect(Buffer.from(payload, "base64").toString()).toContain(`"grant":"${grant}"`);
    }
    const fourth = await client.call("asked.keyed", { name: "note-4" });
    expect(fourth.body.waiting).toMatchObject({ for: "approval" });
    expect(oracle.listEffects(fourth.body.call)).toEqual([]);
  });

  it("no longer replaces an approval after it is revoked", async () => {
    const { grant } = await agreed<{ grant: string }>("grant", { capability: "asked.keyed", count: 5 });
    expect((await client.request("owner", "GET", "/v1/grants")).body.grants).toMatchObject([
      { grant, countLeft: 5, people: [{ by: "bea" }] },
    ]);
    expect((await administer("grant_revoke", { grant })).outcome).toMatchObject({ kind: "succeeded" });
    expect((await client.call("asked.keyed", { name: "note" })).body.waiting).toMatchObject({
      for: "approval",
    });
  });
});

it("a call publishes policy: it previews a backtest, applies to the next call, and is undone by the old version", async () => {
  const text =
    '@id("no-windows")\nforbid (principal, action == Action::"free.keyed", resource)\nwhen { context.input.name == "window" };\n';
  const sources = [{ file: "policies/no-windows.cedar", text }];
  const before = await client.call("free.keyed", { name: "window" }, { wait: 60 });
  expect(before.body.outcome).toMatchObject({ kind: "succeeded" });
  const { version, previous } = await agreed<{ version: string; previous: string }>(
    "policy_publish",
    { sources },
    ({ preview }) =>
      expect(preview).toMatchObject({
        changes: [
          {
            target: "policy",
            summary: expect.stringMatching(
              /^Of \d+ calls since \d+ \w+ \d{4}, 1 would be ruled differently \(1 from allow to block\)(,| and) \d+ the same/,
            ),
          },
          { kind: "create", target: "policies/no-windows.cedar", diff: expect.stringContaining("+forbid") },
        ],
      }),
  );
  const after = await client.call("free.keyed", { name: "window" }, { wait: 60 });
  expect(after.body.outcome).toMatchObject({ kind: "refused", code: "forbidden" });
  const { body: shown } = await client.request("owner", "GET", "/v1/policy");
  expect(shown).toMatchObject({ version, source: "published" });
  expect(shown.configured).not.toBe(version);

  await agreed("policy_publish", { version: previous });
  const again = await client.call("free.keyed", { name: "window" }, { wait: 60 });
  expect(again.body.outcome).toMatchObject({ kind: "succeeded" });
});

it("[TRUST 12] break-glass is for its own group, needs no approval, is logged, and lets one call pass", async () => {
  const glass = { capability: "asked.keyed", principal: "agent", minutes: 5, reason: "the site is down" };
  expect((await administer("break_glass", glass)).outcome).toMatchObject({
    kind: "refused",
    code: "forbidden",
  });
  const broken = await administer("break_glass", glass, second);
  expect(broken.outcome).toMatchObject({ kind: "succeeded" });
  await expect.poll(() => cluster.logs).toContain("glass-broken");
  expect((await client.call("asked.keyed", { name: "x" }, { wait: 60 })).body.outcome?.kind).toBe(
    "succeeded",
  );
  expect((await client.call("asked.keyed", { name: "x" })).body.waiting).toMatchObject({ for: "approval" });
});
