import { roles } from "@paraph/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import {
  authenticateKey,
  connectDatabase,
  createFreezeStore,
  createIdentityStore,
  createSessionStore,
  findPrincipalDetails,
  generateApiKey,
  listApiKeys,
  listFreezes,
  listGroups,
  listPrincipals,
  provision,
  resolveExternalPrincipal,
} from "../index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const people = createIdentityStore(db.app);
afterAll(() => db.close());

// The test moves time by replacing `paraph.now()`.
await database.query("create table public.moved (by interval not null)");
await database.query("insert into public.moved values ('0')");
await database.query("grant select on public.moved to public");
await database.query(
  "create or replace function paraph.now() returns timestamptz language sql volatile as 'select clock_timestamp() + by from public.moved'",
);
const advanceClock = (interval: string) =>
  database.query("update public.moved set by = by + $1::interval", [interval]);

const tenant = "acme";
beforeAll(async () => {
  await provision(database.ownerUrl, async (p) => {
    for (const each of [tenant, "evil"]) {
      await p.addTenant(each);
      await p.addPrincipal({ tenant: each, id: "ana", kind: "person", groups: ["eng", roles.admins] });
      await p.addPrincipal({ tenant: each, id: "bot", kind: "agent", owner: "ana" });
      await p.addPrincipal({ tenant: each, id: "cron", kind: "service" });
    }
  });
});

const createTestKey = (options: { expiresAt?: number; label?: string } = {}) =>
  provision(database.ownerUrl, (p) => p.createKey(tenant, "bot", options));

describe("[TRUST 21] API keys", () => {
  it("authenticate their principal, with its groups and their own scopes", async () => {
    expect(await authenticateKey(db.app, await createTestKey())).toEqual({
      how: "key",
      principal: { tenant, id: "bot", kind: "agent", owner: "ana", groups: [] },
    });
    const narrow = await provision(database.ownerUrl, (p) =>
      p.createKey(tenant, "ana", { scopes: ["read", "calls:files.*"] }),
    );
    expect(await authenticateKey(db.app, narrow)).toEqual({
      how: "key",
      principal: { tenant, id: "ana", kind: "person", groups: ["eng", roles.admins] },
      scopes: ["read", "calls:files.*"],
    });
  });

  it("are refused when they are wrong in any part, expired or revoked", async () => {
    const key = await createTestKey();
    const id = key.split("_")[2]!;
    for (const wrong of [
      `${key}x`,
      key.replace("acme", "evil"),
      key.slice(0, -1),
      "paraph_acme_x_y",
      "",
      "x".repeat(500),
    ]) {
      expect(await authenticateKey(db.app, wrong)).toBeUndefined();
    }
    expect(await people.revokeKey("evil", id)).toBe("unknown");
    expect(await authenticateKey(db.app, key)).toBeDefined();
    expect([await people.revokeKey(tenant, id), await people.revokeKey(tenant, id)]).toEqual([
      "done",
      "already",
    ]);
    expect(await authenticateKey(db.app, key)).toBeUndefined();
    const short = await createTestKey({ expiresAt: Date.now() + 60_000 });
    expect(await authenticateKey(db.app, short)).toMatchObject({ expiresAt: expect.any(Number) });
    await advanceClock("2 minutes");
    expect(await authenticateKey(db.app, short)).toBeUndefined();
  });

  it("are created from a hash, so that the server never sees the secret", async () => {
    const { id, hash, key } = generateApiKey(tenant);
    const asked = { tenant, id, hash, principal: "cron", scopes: ["read"], label: "nightly", by: "ana" };
    expect([await people.createKey(asked), await people.createKey(asked)]).toEqual(["done", "already"]);
    expect(await people.createKey({ ...asked, principal: "ana" })).toBe("taken");
    expect(await people.createKey({ ...asked, scopes: ["admin"] })).toBe("taken");
    expect(await people.createKey({ ...asked, id: "00000000", principal: "nobody" })).toBe("unknown");
    expect(await authenticateKey(db.app, key)).toMatchObject({ principal: { id: "cron" }, scopes: ["read"] });
    const rows = await database.query("select * from paraph.api_key");
    expect(JSON.stringify(rows)).not.toContain(key.split("_")[3]);
  });

  it("record when they were last used, to the minute", async () => {
    const key = await createTestKey({ label: "used" });
    const lastUsed = async () =>
      (await listApiKeys(db.app, tenant, { principal: "bot", limit: 100 })).find(
        ({ label }) => label === "used",
      )?.lastUsed;
    expect(await lastUsed()).toBeUndefined();
    await authenticateKey(db.app, key);
    const first = await lastUsed();
    await advanceClock("30 seconds");
    await authenticateKey(db.app, key);
    expect(await lastUsed()).toBe(first);
    await advanceClock("40 seconds");
    await authenticateKey(db.app, key);
    expect(await lastUsed()).toBeGreaterThan(first!);
  });
});

describe("people and groups", () => {
  it("are added once, and a repetition reports that they already exist", async () => {
    const bo = { tenant, id: "bo", kind: "person" } as const;
    expect([await people.addPrincipal(bo), await people.addPrincipal(bo)]).toEqual(["done", "already"]);
    expect(await people.addPrincipal({ ...bo, kind: "agent" })).toBe("taken");
    expect(await people.addPrincipal({ tenant, id: "b2", kind: "agent", owner: "bot" })).toBe(
      "owner-unknown",
    );
    expect([
      await people.addToGroup(tenant, "dba", "bo"),
      await people.addToGroup(tenant, "dba", "bo"),
    ]).toEqual(["done", "already"]);
    expect(await people.addToGroup(tenant, "dba", "nobody")).toBe("unknown");
    expect((await listGroups(db.app, tenant, { limit: 10 })).find(({ group }) => group === "dba")).toEqual({
      group: "dba",
      members: ["bo"],
    });
    expect([
      await people.removeFromGroup(tenant, "dba", "bo"),
      await people.removeFromGroup(tenant, "dba", "bo"),
    ]).toEqual(["done", "already"]);
  });

  it("[TRUST 10] are listed page by page, for one tenant only", async () => {
    const first = await listPrincipals(db.app, tenant, { limit: 2 });
    const rest = await listPrincipals(db.app, tenant, { after: first.at(-1)!.id, limit: 10 });
    expect([...first, ...rest].map(({ id }) => id)).toEqual(["ana", "bo", "bot", "cron"]);
    expect(first[0]).toMatchObject({ kind: "person", groups: ["eng", roles.admins] });
    expect(await listApiKeys(db.app, "evil", { limit: 10 })).toEqual([]);
  });

  it("[TRUST 10] are found by id, kind, owner and state, with their last use and sessions, for one tenant only", async () => {
    const find = async (filter: object) =>
      (await listPrincipals(db.app, tenant, { limit: 10, ...filter })).map(({ id }) => id);
    await people.addPrincipal({ tenant, id: "50%_Off", kind: "agent", owner: "bo" });
    expect(await find({ q: "%_o" })).toEqual(["50%_Off"]);
    expect(await find({ q: "O", kind: "agent" })).toEqual(["50%_Off", "bot"]);
    expect(await find({ owner: "bo" })).toEqual(["50%_Off"]);
    await createFreezeStore(db.app).freeze(tenant, {
      id: "freeze_1",
      kind: "principal",
      subject: "bot",
      by: "ana",
    });
    await people.disable(tenant, "50%_Off", "ana");
    await createFreezeStore(db.app).freeze(tenant, {
      id: "freeze_2",
      kind: "principal",
      subject: "50%_Off",
      by: "ana",
    });
    expect(await find({ state: "invited" })).toEqual(["bo"]);
    expect(await find({ state: "frozen" })).toEqual(["bot"]);
    expect(await find({ state: "disabled" })).toEqual(["50%_Off"]);
    expect(await find({ state: "active", after: "ana" })).toEqual(["cron"]);
    expect((await listFreezes(db.app, tenant)).map(({ id, disabled }) => [id, disabled])).toEqual([
      ["freeze_1", false],
      ["freeze_2", true],
    ]);
    await createFreezeStore(db.app).thaw(tenant, "freeze_1", "ana");
    const sessions = createSessionStore(db.app, { idleMs: 60_000, lastingMs: 120_000 });
    await sessions.begin(tenant, "bo");
    const bo = await findPrincipalDetails(db.app, tenant, "bo");
    expect(bo?.sessions).toEqual([{ seenAt: bo?.lastUsed, endsAt: bo!.lastUsed! + 60_000 }]);
    expect(await findPrincipalDetails(db.app, "evil", "bo")).toBeUndefined();
    await advanceClock("2 minutes");
    expect((await findPrincipalDetails(db.app, tenant, "bo"))?.sessions).toEqual([]);
  });
});

describe("identities of an external issuer", () => {
  const issuer = "https://login.example.com";
  const find = (subject: string, more: object = {}) =>
    resolveExternalPrincipal(db.app, tenant, { issuer, subject, ...more });

  it("[TRUST 8] map to no principal until they are linked, and never to a principal with the same name", async () => {
    expect(await find("ana")).toBeUndefined();
    expect(await find("ana", { create: "ana" })).toBeUndefined();
    expect([
      await people.linkIdentity(tenant, issuer, "s1", "ana"),
      await people.linkIdentity(tenant, issuer, "s1", "ana"),
      await people.linkIdentity(tenant, issuer, "s1", "bot"),
      await people.linkIdentity(tenant, issuer, "s2", "nobody"),
    ]).toEqual(["done", "already", "taken", "unknown"]);
    expect(await find("s1")).toMatchObject({ id: "ana", kind: "person" });
    expect(await resolveExternalPrincipal(db.app, "evil", { issuer, subject: "s1" })).toBeUndefined();
    expect(
      await resolveExternalPrincipal(db.app, tenant, { issuer: `${issuer}.evil`, subject: "s1" }),
    ).toBeUndefined();
  });

  it("create a person at the first login if requested, once even for two concurrent logins", async () => {
    const both = await Promise.all([find("new@x", { create: "new@x" }), find("new@x", { create: "new@x" })]);
    for (const made of both) expect(made).toEqual({ tenant, id: "new@x", kind: "person", groups: [] });
  });

  it("adopt the issuer's groups but no roles, and remove only groups that came from the issuer", async () => {
    await people.addToGroup(tenant, "kept", "new@x");
    const groups = async (at: number, ...names: string[]) =>
      (await find("new@x", { groups: { names, at } }))?.groups;
    expect(await groups(1_000, "a", "b", "b", "kept", roles.admins)).toEqual(["a", "b", "kept"]);
    expect(await groups(2_000, "b", "c")).toEqual(["b", "c", "kept"]);
    expect(await groups(1_500, "a"), "an older token").toEqual(["b", "c", "kept"]);
    await people.addToGroup(tenant, "c", "new@x");
    expect(await groups(3_000)).toEqual(["c", "kept"]);
    await people.linkIdentity(tenant, issuer, "s-bot", "bot");
    expect((await find("s-bot", { groups: { names: ["a"], at: 1 } }))?.groups, "an agent's").toEqual([]);
  });

  it("end the sessions of their person when they are unlinked", async () => {
    const sessions = createSessionStore(db.app, { idleMs: 60_000, lastingMs: 60_000 });
    const session = await sessions.begin(tenant, "new@x");
    expect(await sessions.find(session!)).toBeDefined();
    expect(await people.unlinkIdentity(tenant, issuer, "new@x")).toBe("done");
    expect(await sessions.find(session!)).toBeUndefined();
    expect(await find("new@x")).toBeUndefined();
  });
});

describe("sessions", () => {
  const sessions = createSessionStore(db.app, { idleMs: 30 * 60_000, lastingMs: 2 * 3_600_000 });

  it("exist only for people, and are stored as a hash", async () => {
    expect(await sessions.begin(tenant, "bot")).toBeUndefined();
    expect(await sessions.begin(tenant, "nobody")).toBeUndefined();
    const session = (await sessions.begin(tenant, "ana"))!;
    expect(await sessions.find(session)).toMatchObject({
      how: "session",
      principal: { tenant, id: "ana", groups: ["eng", roles.admins] },
    });
    expect(await sessions.find(session.replace("acme", "evil"))).toBeUndefined();
    expect(JSON.stringify(await database.query("select * from paraph.session"))).not.toContain(
      session.split(".")[1],
    );
  });

  it("are replaced by a login and ended by a logout", async () => {
    const old = (await sessions.begin(tenant, "ana"))!;
    const renewed = (await sessions.begin(tenant, "ana", old))!;
    expect([await sessions.find(old), await sessions.find(renewed)]).toEqual([undefined, expect.anything()]);
    await sessions.end(renewed);
    expect(await sessions.find(renewed)).toBeUndefined();
  });

  it("end after 30 minutes without use, and after two hours in any case", async () => {
    const idle = (await sessions.begin(tenant, "ana"))!;
    await advanceClock("31 minutes");
    expect(await sessions.find(idle)).toBeUndefined();
    const used = (await sessions.begin(tenant, "ana"))!;
    for (let minutes = 0; minutes < 100; minutes += 20) {
      await advanceClock("20 minutes");
      expect(await sessions.find(used)).toBeDefined();
    }
    await advanceClock("20 minutes");
    expect(await sessions.find(used)).toBeUndefined();
  });

  it("begin by a link once, within ten minutes, and only one of 8 concurrent uses succeeds", async () => {
    expect(await sessions.createLink(tenant, "bot")).toBeUndefined();
    const link = (await sessions.createLink(tenant, "ana"))!;
    const pressed = await Promise.all(Array.from({ length: 8 }, () => sessions.beginByLink(link)));
    const begun = pressed.filter((session) => session !== undefined);
    expect(begun.length).toBe(1);
    expect(await sessions.find(begun[0]!)).toMatchObject({ principal: { id: "ana" } });
    expect(await sessions.findLink(link), "used").toBeUndefined();
    const late = (await sessions.createLink(tenant, "ana"))!;
    expect(await sessions.findLink(late)).toEqual({
      tenant,
      principal: "ana",
      expiresAt: expect.any(Number),
    });
    await advanceClock("11 minutes");
    expect([await sessions.findLink(late), await sessions.findLink("nonsense")]).toEqual([
      undefined,
      undefined,
    ]);
    expect([await sessions.beginByLink(late), await sessions.beginByLink("nonsense")]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
