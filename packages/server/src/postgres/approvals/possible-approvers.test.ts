import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { connectDatabase, createDelegationStore, listPossibleApprovers, provision } from "../index.ts";

const tenant = "acme";
const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

await provision(database.ownerUrl, async (p) => {
  await p.addTenant(tenant);
  await p.addTenant("other");
  await p.addPrincipal({ tenant: "other", id: "eve", kind: "person", groups: ["finance"] });
  for (const id of ["ana", "bo", "dora"]) await p.addPrincipal({ tenant, id, kind: "person" });
  await p.addPrincipal({ tenant, id: "bot", kind: "agent", owner: "ana" });
  for (const id of ["finn", "frozen", "disabled", "invited"])
    await p.addPrincipal({ tenant, id, kind: "person", groups: ["finance"] });
});
await database.query("update paraph.principal set signed_in_at = null where id = 'invited'");
await database.query("select paraph.principal_disable('acme', 'disabled', 'ana')");
await database.query("select paraph.freeze('acme', 'freeze_1', 'principal', 'frozen', 'ana')");
const hour = 3_600_000;
await createDelegationStore(db.app).create(
  tenant,
  { id: "delegation_1", person: "finn", delegate: "bo", from: Date.now() - hour, until: Date.now() + hour },
  "finn",
);
const list = async (selection: Parameters<typeof listPossibleApprovers>[2], limit = 10) =>
  (await listPossibleApprovers(db.app, tenant, selection, limit)).map(({ principal }) => principal.id);

it("[TRUST 10, 33] lists the members of groups and their delegates, without people who can't vote", async () => {
  expect(await list({ groups: ["finance"] })).toEqual(["bo", "finn"]);
  expect(await list({ groups: ["finance"], ids: ["dora", "frozen"] })).toEqual(["bo", "dora", "finn"]);
  expect(await list({ groups: ["legal"] })).toEqual([]);
  const [bo] = await listPossibleApprovers(db.app, tenant, { groups: ["finance"] }, 1);
  expect(bo).toEqual({
    principal: { tenant, id: "bo", kind: "person", groups: [] },
    delegations: [{ person: "finn", groups: ["finance"] }],
  });
});

it("lists everyone without groups and ids, up to the limit", async () => {
  expect(await list({})).toEqual(["ana", "bo", "dora", "finn"]);
  expect(await list({}, 2)).toEqual(["ana", "bo"]);
});
