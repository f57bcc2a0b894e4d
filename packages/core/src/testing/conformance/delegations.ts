import type { ConformanceSuite } from "./harness.ts";
import { day, hour, type StoreFixture } from "./store-fixture.ts";

/** Tests that a delegation is in force from its start to its end, by the store's clock. */
export const delegationSuite: ConformanceSuite = (prove, expect) => {
  prove("a person is not a delegate without a delegation", async (fixture) => {
    await addPeople(fixture);
    expect(await fixture.store.delegationsTo(fixture.tenant, "bo")).toEqual([]);
  });

  prove("a delegate has the current groups of the absent person", async (fixture) => {
    const { admin } = await addPeople(fixture);
    await admin.setGroups("ana", ["ops", "eng"]);
    await admin.delegate(await createDelegation(fixture));
    const inForce = () => fixture.store.delegationsTo(fixture.tenant, "bo");
    expect(await inForce()).toEqual([{ person: "ana", groups: ["eng", "ops"] }]);
    await admin.setGroups("ana", []);
    expect(await inForce()).toEqual([{ person: "ana", groups: [] }]);
    expect(await fixture.store.delegationsTo(fixture.tenant, "ana")).toEqual([]);
    expect(await fixture.store.delegationsTo(`${fixture.tenant}x`, "bo")).toEqual([]);
  });

  prove("[P15] a delegation begins and ends by the store's clock", async (fixture) => {
    const { admin } = await addPeople(fixture);
    const now = await fixture.harness.now();
    await admin.delegate(await createDelegation(fixture, { from: now + hour, until: now + day }));
    const counts = async () => (await fixture.store.delegationsTo(fixture.tenant, "bo")).length;
    expect(await counts()).toBe(0);
    await fixture.harness.advanceClock(hour);
    expect(await counts()).toBe(1);
    await fixture.harness.advanceClock(day - hour);
    expect(await counts()).toBe(0);
  });

  prove("a revoked delegation stays revoked when it is requested again", async (fixture) => {
    const { admin } = await addPeople(fixture);
    const delegation = await createDelegation(fixture);
    await admin.delegate(delegation);
    await admin.revokeDelegation(delegation.id);
    await admin.delegate(delegation);
    expect(await fixture.store.delegationsTo(fixture.tenant, "bo")).toEqual([]);
  });

  prove("a delegate of several absent people gets each of them once", async (fixture) => {
    const { admin } = await addPeople(fixture);
    await admin.delegate(await createDelegation(fixture, { id: "d1", person: "cy" }));
    await admin.delegate(await createDelegation(fixture, { id: "d2" }));
    await admin.delegate(await createDelegation(fixture, { id: "d3" }));
    expect(await fixture.store.delegationsTo(fixture.tenant, "bo")).toMatchObject([
      { person: "ana" },
      { person: "cy" },
    ]);
  });
};

async function addPeople(fixture: StoreFixture) {
  for (const id of ["ana", "bo", "cy"])
    await fixture.harness.addPrincipal({ tenant: fixture.tenant, id, kind: "person" });
  return fixture.harness;
}

async function createDelegation(
  fixture: StoreFixture,
  given: { id?: string; person?: string; from?: number; until?: number } = {},
) {
  const now = await fixture.harness.now();
  return { id: "d1", person: "ana", delegate: "bo", from: now, until: now + day, ...given };
}
