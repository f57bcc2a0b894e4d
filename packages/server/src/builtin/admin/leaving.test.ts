import { roles } from "@paraph/core";
import { afterAll, describe, expect, it } from "vitest";
import { authenticateKey, newKey, sessionsIn } from "../../postgres/index.ts";
import { faultIn, office, tenant } from "./testing.ts";

const { administration, capability, close, db, perform, sight } = await office();
afterAll(close);
const { people, freezes } = administration;
const sessions = sessionsIn(db.app, { idleMs: 60_000, lastingMs: 60_000 });

async function keyOf(principal: string): Promise<string> {
  const { id, hash, key } = newKey(tenant);
  await people.createKey({ tenant, id, hash, principal, by: "ana" });
  return key;
}
const barredBy = async (key: string) => (await authenticateKey(db.app, key))?.principal.barred;

describe("a person who left", () => {
  it("[TRUST 33] is barred while frozen, by key and by session, and cannot log in", async () => {
    const key = await keyOf("bo");
    const session = (await sessions.begin(tenant, "bo"))!;
    const link = (await sessions.makeLink(tenant, "bo"))!;
    const { freeze } = await perform("freeze", { kind: "principal", subject: "bo" });
    expect(await barredBy(key)).toBe("frozen");
    expect((await sessions.find(session))?.principal.barred).toBe("frozen");
    expect(await sessions.begin(tenant, "bo")).toBeUndefined();
    expect(await sessions.beginByLink(link)).toBeUndefined();
    // A frozen person is still somebody else: whoever froze the others cannot approve alone.
    expect(await people.hasOther(tenant, ["ana"])).toBe(true);
    await freezes.thaw(tenant, freeze, "ana");
    expect(await barredBy(key)).toBeUndefined();
  });

  it("[TRUST 33] is disabled with keys, sessions and open calls, and enabled by the undo", async () => {
    const key = await keyOf("bo");
    const session = (await sessions.begin(tenant, "bo"))!;
    const [change] = (await sight("principal_disable", { principal: "bo" })).changes;
    expect(change).toMatchObject({
      target: "person bo",
      details: { sessions: expect.any(Number), agents: 0 },
    });
    expect(await barredBy(key)).toBeUndefined();
    const input = { principal: "bo" };
    const output = await perform("principal_disable", input);
    expect(output).toEqual({ principal: "bo", freeze: expect.stringMatching(/^freeze_/) });
    expect(await barredBy(key)).toBe("disabled");
    expect(await sessions.find(session)).toBeUndefined();
    expect(await freezes.find(tenant, output.freeze)).toMatchObject({ subject: "bo", thawed: false });
    expect(await people.hasOther(tenant, ["ana"])).toBe(false);
    expect(await faultIn(sight("principal_disable", input))).toBe("permanent already-disabled");
    // Its calls continue when it is enabled.
    expect(await faultIn(sight("thaw", { freeze: output.freeze }))).toBe("permanent principal-disabled");
    const undo = capability("principal_disable").undo!(input, output)!;
    expect(undo).toEqual({ capability: "admin.principal_enable", input: output });
    await perform("principal_enable", undo.input);
    expect(await barredBy(key)).toBeUndefined();
    expect(await faultIn(sight("principal_enable", input))).toBe("permanent not-disabled");
  });

  it("the last administrator who can act is neither frozen nor disabled", async () => {
    const last = "permanent last-administrator";
    const disable = () => faultIn(sight("principal_disable", { principal: "ana" }));
    const freeze = () => faultIn(sight("freeze", { kind: "principal", subject: "ana" }));
    expect([await disable(), await freeze()]).toEqual([last, last]);
    await people.addToGroup(tenant, roles.admins, "bo");
    expect((await sight("freeze", { kind: "principal", subject: "ana" })).changes).toHaveLength(1);
    await freezes.freeze(tenant, { id: "freeze_bo", kind: "principal", subject: "bo", by: "ana" });
    expect([await disable(), await freeze()]).toEqual([last, last]);
    await freezes.thaw(tenant, "freeze_bo", "ana");
    await people.removeFromGroup(tenant, roles.admins, "bo");
  });

  it("[TRUST 33] admin.sessions_end ends every session and login link of a person", async () => {
    await perform("sessions_end", { principal: "bo" });
    const open = [await sessions.begin(tenant, "bo"), await sessions.begin(tenant, "bo")];
    const link = (await sessions.makeLink(tenant, "bo"))!;
    const other = (await sessions.begin(tenant, "ana"))!;
    expect(await perform("sessions_end", { principal: "bo" })).toEqual({ principal: "bo", ended: 2 });
    for (const session of open) expect(await sessions.find(session!)).toBeUndefined();
    expect(await sessions.beginByLink(link)).toBeUndefined();
    expect(await sessions.find(other)).toBeDefined();
    expect(await faultIn(sight("sessions_end", { principal: "bot" }))).toBe("permanent principal-unknown");
  });

  it("[TRUST 33] a stand-in does not answer with the groups of a person who is barred", async () => {
    const delegation = {
      id: "d1",
      person: "bo",
      standIn: "ana",
      from: Date.now() - 1_000,
      until: Date.now() + 60_000,
    };
    const text = "select paraph.create_delegation($1, $2, 'bo')";
    const given = { ...delegation, from: delegation.from, until: delegation.until };
    await db.app.query(text, [tenant, JSON.stringify(given)]);
    const groups = async () =>
      (await db.app.query("select paraph.stands_in_for($1, 'ana') as it", [tenant])).rows[0].it;
    expect(await groups()).toEqual([{ person: "bo", groups: ["finance"] }]);
    await freezes.freeze(tenant, { id: "freeze_away", kind: "principal", subject: "bo", by: "ana" });
    expect(await groups()).toEqual([]);
  });
});
