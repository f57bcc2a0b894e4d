import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { connectDatabase, createDelegationStore, provision } from "../index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

await provision(database.ownerUrl, async (p) => {
  for (const tenant of ["red", "blue"]) await p.addTenant(tenant);
  for (const id of ["ana", "bo"]) await p.addPrincipal({ tenant: "red", id, kind: "person" });
  await p.addPrincipal({ tenant: "red", id: "bot", kind: "agent", owner: "ana" });
});
const delegations = createDelegationStore(db.app);
const now = Date.now();
const day = 86_400_000;
const unavailable = { person: "ana", delegate: "bo", from: now - day, until: now + day };

it("a delegation is created once, listed until it ends, and revoked once", async () => {
  const given = { id: "d1", ...unavailable };
  expect(await delegations.create("red", given, "ana")).toBe("done");
  expect(await delegations.create("red", { ...given, until: now + 9 * day }, "bo")).toBe("already");
  await delegations.create("red", { id: "d0", ...unavailable, from: now + day, until: now + 2 * day }, "ana");
  await delegations.create("red", { id: "over", ...unavailable, until: now - 1 }, "ana");
  const [first, second, ...none] = await delegations.list("red");
  expect([first, second?.id, none]).toMatchObject([{ ...given, by: "ana" }, "d0", []]);
  expect(await delegations.revoke("red", "d1", "ana")).toBe("done");
  expect(await delegations.revoke("red", "d1", "ana")).toBe("already");
  expect(await delegations.revoke("red", "none", "ana")).toBe("unknown");
  expect((await delegations.list("red")).map(({ id }) => id)).toEqual(["d0"]);
});

it("[TRUST 12] only people of a tenant can be delegates, and only of other people of the tenant", async () => {
  for (const pair of [{ delegate: "bot" }, { person: "bot" }, { delegate: "nobody" }])
    expect(await delegations.create("red", { id: "odd", ...unavailable, ...pair }, "ana")).toBe("unknown");
  expect(await delegations.create("blue", { id: "odd", ...unavailable }, "ana")).toBe("unknown");
  expect(await delegations.create("red", { id: "odd", ...unavailable, delegate: "ana" }, "ana")).toBe(
    "unknown",
  );
  await expect(
    delegations.create("red", { id: "odd", ...unavailable, from: now, until: now }, "ana"),
  ).rejects.toThrow();
  expect(await delegations.list("blue")).toEqual([]);
});
