import type { ConformanceSuite } from "./harness.ts";
import { day, hour, type StoreFixture } from "./store-fixture.ts";

/** Tests that a delegation is in force from its start to its end, by the store's clock. */
export const delegationSuite: ConformanceSuite = (prove, expect) => {
  prove("nobody stands in for anybody unless they were asked to", async (bench) => {
    await addPeople(bench);
    expect(await bench.store.delegationsTo(bench.tenant, "bo")).toEqual([]);
  });

  prove("a stand-in has the groups of the absent one, as they are now", async (bench) => {
    const { admin } = await addPeople(bench);
    await admin.setGroups("ana", ["ops", "eng"]);
    await admin.delegate(await createDelegation(bench));
    const inForce = () => bench.store.delegationsTo(bench.tenant, "bo");
    expect(await inForce()).toEqual([{ person: "ana", groups: ["eng", "ops"] }]);
    await admin.setGroups("ana", []);
    expect(await inForce()).toEqual([{ person: "ana", groups: [] }]);
    expect(await bench.store.delegationsTo(bench.tenant, "ana")).toEqual([]);
    expect(await bench.store.delegationsTo(`${bench.tenant}x`, "bo")).toEqual([]);
  });

  prove("[P15] it begins and ends by the store's clock", async (bench) => {
    const { admin } = await addPeople(bench);
    const now = await bench.harness.now();
    await admin.delegate(await createDelegation(bench, { from: now + hour, until: now + day }));
    const counts = async () => (await bench.store.delegationsTo(bench.tenant, "bo")).length;
    expect(await counts()).toBe(0);
    await bench.harness.advanceClock(hour);
    expect(await counts()).toBe(1);
    await bench.harness.advanceClock(day - hour);
    expect(await counts()).toBe(0);
  });

  prove("it can be revoked, and stays so when it is asked for again", async (bench) => {
    const { admin } = await addPeople(bench);
    const delegation = await createDelegation(bench);
    await admin.delegate(delegation);
    await admin.revokeDelegation(delegation.id);
    await admin.delegate(delegation);
    expect(await bench.store.delegationsTo(bench.tenant, "bo")).toEqual([]);
  });

  prove("several absent people are each named once", async (bench) => {
    const { admin } = await addPeople(bench);
    await admin.delegate(await createDelegation(bench, { id: "d1", person: "cy" }));
    await admin.delegate(await createDelegation(bench, { id: "d2" }));
    await admin.delegate(await createDelegation(bench, { id: "d3" }));
    expect(await bench.store.delegationsTo(bench.tenant, "bo")).toMatchObject([
      { person: "ana" },
      { person: "cy" },
    ]);
  });
};

async function addPeople(bench: StoreFixture) {
  for (const id of ["ana", "bo", "cy"])
    await bench.harness.addPrincipal({ tenant: bench.tenant, id, kind: "person" });
  return bench.harness;
}

async function createDelegation(
  bench: StoreFixture,
  given: { id?: string; person?: string; from?: number; until?: number } = {},
) {
  const now = await bench.harness.now();
  return { id: "d1", person: "ana", standIn: "bo", from: now, until: now + day, ...given };
}
