import { roles } from "@paraph/core";
import { afterAll, describe, expect, it } from "vitest";
import { readSubject } from "../../../identity/claims.ts";
import { authenticateKey, createSessionStore, generateApiKey, provision } from "../../../postgres/index.ts";
import { adminTestTenant, createTestAdmin, readFault } from "../testing/create-test-admin.ts";

const { administration, capability, close, database, db, perform, sight } = await createTestAdmin();
afterAll(close);
const { people, freezes } = administration;
const sessions = createSessionStore(db.app, { idleMs: 60_000, lastingMs: 60_000 });

async function createKeyFor(principal: string): Promise<string> {
  const { id, hash, key } = generateApiKey(adminTestTenant);
  await people.createKey({ tenant: adminTestTenant, id, hash, principal, by: "ana" });
  return key;
}
const findBarredReason = async (key: string) => (await authenticateKey(db.app, key))?.principal.barred;

describe("a person who left", () => {
  it("[TRUST 33] is barred while frozen, by key and by session, and cannot log in", async () => {
    const key = await createKeyFor("bo");
    const session = (await sessions.begin(adminTestTenant, "bo"))!;
    const link = (await sessions.createLink(adminTestTenant, "bo"))!;
    const { freeze } = await perform("freeze", { kind: "principal", subject: "bo" });
    expect(await findBarredReason(key)).toBe("frozen");
    expect((await sessions.find(session))?.principal.barred).toBe("frozen");
    expect(await sessions.begin(adminTestTenant, "bo")).toBeUndefined();
    expect(await sessions.beginByLink(link)).toBeUndefined();
    // A frozen person still counts as another person, so a person who froze the others cannot approve alone.
    expect(await people.hasOther(adminTestTenant, ["ana"])).toBe(true);
    await freezes.thaw(adminTestTenant, freeze, "ana");
    expect(await findBarredReason(key)).toBeUndefined();
  });

  it("[TRUST 33] is disabled with keys, sessions and open calls, and enabled by the undo", async () => {
    const key = await createKeyFor("bo");
    const session = (await sessions.begin(adminTestTenant, "bo"))!;
    const [change] = (await sight("principal_disable", { principal: "bo" })).changes;
    expect(change).toMatchObject({
      target: "person bo",
      details: { sessions: expect.any(Number), agents: 0 },
    });
    expect(await findBarredReason(key)).toBeUndefined();
    const input = { principal: "bo" };
    const output = await perform("principal_disable", input);
    expect(output).toEqual({ principal: "bo", freeze: expect.stringMatching(/^freeze_/) });
    expect(await findBarredReason(key)).toBe("disabled");
    expect(await sessions.find(session)).toBeUndefined();
    expect(await freezes.find(adminTestTenant, output.freeze)).toMatchObject({
      subject: "bo",
      thawed: false,
    });
    expect(await people.hasOther(adminTestTenant, ["ana"])).toBe(false);
    expect(await readFault(sight("principal_disable", input))).toBe("permanent already-disabled");
    // A thaw does not release the calls of a disabled principal. They continue when the principal is enabled.
    expect(await readFault(sight("thaw", { freeze: output.freeze }))).toBe("permanent principal-disabled");
    const undo = capability("principal_disable").undo!(input, output)!;
    expect(undo).toEqual({ capability: "admin.principal_enable", input: output });
    const [enabled] = (await sight("principal_enable", undo.input)).changes;
    expect(enabled!.summary).not.toContain("frozen");
    expect(await perform("principal_enable", undo.input)).toEqual({ principal: "bo", frozenBy: [] });
    expect(await findBarredReason(key)).toBeUndefined();
    expect(await readFault(sight("principal_enable", input))).toBe("permanent not-disabled");
  });

  it("[TRUST 6] an enabled principal stays frozen by other freezes, and the preview and the output name them", async () => {
    const { freeze } = await perform("principal_disable", { principal: "bo" });
    const input = { principal: "bo" };
    const [change] = (await sight("principal_enable", input)).changes;
    expect(change!.summary).toContain(`It stays frozen until you thaw ${freeze}.`);
    expect(await perform("principal_enable", input)).toEqual({ principal: "bo", frozenBy: [freeze] });
    await freezes.thaw(adminTestTenant, freeze, "ana");
  });

  it("the last administrator who can act cannot be frozen or disabled", async () => {
    const last = "permanent last-administrator";
    const disable = () => readFault(sight("principal_disable", { principal: "ana" }));
    const freeze = () => readFault(sight("freeze", { kind: "principal", subject: "ana" }));
    expect([await disable(), await freeze()]).toEqual([last, last]);
    await people.addToGroup(adminTestTenant, roles.admins, "bo");
    expect((await sight("freeze", { kind: "principal", subject: "ana" })).changes).toHaveLength(1);
    await freezes.freeze(adminTestTenant, { id: "freeze_bo", kind: "principal", subject: "bo", by: "ana" });
    expect([await disable(), await freeze()]).toEqual([last, last]);
    await freezes.thaw(adminTestTenant, "freeze_bo", "ana");
    await people.removeFromGroup(adminTestTenant, roles.admins, "bo");
  });

  it("[TRUST 33] admin.sessions_end ends every session and login link of a person", async () => {
    await perform("sessions_end", { principal: "bo" });
    const open = [await sessions.begin(adminTestTenant, "bo"), await sessions.begin(adminTestTenant, "bo")];
    const link = (await sessions.createLink(adminTestTenant, "bo"))!;
    const other = (await sessions.begin(adminTestTenant, "ana"))!;
    expect(await perform("sessions_end", { principal: "bo" })).toEqual({ principal: "bo", ended: 2 });
    for (const session of open) expect(await sessions.find(session!)).toBeUndefined();
    expect(await sessions.beginByLink(link)).toBeUndefined();
    expect(await sessions.find(other)).toBeDefined();
    expect(await readFault(sight("sessions_end", { principal: "bot" }))).toBe("permanent principal-unknown");
  });

  it("[TRUST 33] a delegate does not have the groups of a frozen person", async () => {
    const delegation = {
      id: "d1",
      person: "bo",
      delegate: "ana",
      from: Date.now() - 1_000,
      until: Date.now() + 60_000,
    };
    const text = "select paraph.create_delegation($1, $2, 'bo')";
    const given = { ...delegation, from: delegation.from, until: delegation.until };
    await db.app.query(text, [adminTestTenant, JSON.stringify(given)]);
    const groups = async () =>
      (await db.app.query("select paraph.delegators_of($1, 'ana') as it", [adminTestTenant])).rows[0].it;
    expect(await groups()).toEqual([{ person: "bo", groups: ["finance"] }]);
    await freezes.freeze(adminTestTenant, { id: "freeze_away", kind: "principal", subject: "bo", by: "ana" });
    expect(await groups()).toEqual([]);
  });

  it.each([
    ["a space", "Kim Osei"],
    ["a bar", "auth0|5f7c8ec7c33c6c004bbafe82"],
    ["letters outside ASCII", "Zoë Łukasz"],
    ["a hidden character", "ana\u202e"],
    ["255 characters of two units each", "😀".repeat(255)],
  ])(
    "[TRUST 33] a principal whose id has %s can be administered, because an identity provider can create it",
    async (_what, principal) => {
      const oidc = { issuer: "https://issuer.example", audience: "paraph", tenant: adminTestTenant };
      expect(readSubject({ sub: principal }, oidc)).toBe(principal);
      await provision(database.ownerUrl, (p) =>
        p.addPrincipal({ tenant: adminTestTenant, id: principal, kind: "person" }),
      );
      await perform("group_change", { group: "Finance team", add: [principal] });
      expect((await people.find(adminTestTenant, principal))?.groups).toEqual(["Finance team"]);
      await perform("group_change", { group: "Finance team", remove: [principal] });
      await perform("sessions_end", { principal });
      const { freeze } = await perform("principal_disable", { principal });
      expect((await people.find(adminTestTenant, principal))?.barred).toBe("disabled");
      await perform("principal_enable", { principal, freeze });
      expect((await people.find(adminTestTenant, principal))?.barred).toBeUndefined();
    },
  );
});
