import { type Bench, day, hour } from "./conformance-bench.ts";
import type { Chapter } from "./conformance-harness.ts";

/** Who is away is stood in for, from one time to another, by the store's clock. */
export const standIns: Chapter = (prove, expect) => {
  prove("nobody stands in for anybody unless they were asked to", async (bench) => {
    await people(bench);
    expect(await bench.store.delegationsTo(bench.tenant, "bo")).toEqual([]);
  });

  prove("a stand-in has the groups of the absent one, as they are now", async (bench) => {
    const { admin } = await people(bench);
    await admin.setGroups("ana", ["ops", "eng"]);
    await admin.delegate(await away(bench));
    const inForce = () => bench.store.delegationsTo(bench.tenant, "bo");
    expect(await inForce()).toEqual([{ person: "ana", groups: ["eng", "ops"] }]);
    await admin.setGroups("ana", []);
    expect(await inForce()).toEqual([{ person: "ana", groups: [] }]);
    expect(await bench.store.delegationsTo(bench.tenant, "ana")).toEqual([]);
    expect(await bench.store.delegationsTo(`${bench.tenant}x`, "bo")).toEqual([]);
  });

  prove("[P15] it begins and ends by the store's clock", async (bench) => {
    const { admin } = await people(bench);
    const now = await bench.harness.now();
    await admin.delegate(await away(bench, { from: now + hour, until: now + day }));
    const counts = async () => (await bench.store.delegationsTo(bench.tenant, "bo")).length;
    expect(await counts()).toBe(0);
    await bench.harness.advanceClock(hour);
    expect(await counts()).toBe(1);
    await bench.harness.advanceClock(day - hour);
    expect(await counts()).toBe(0);
  });

  prove("it can be revoked, and stays so when it is asked for again", async (bench) => {
    const { admin } = await people(bench);
    const delegation = await away(bench);
    await admin.delegate(delegation);
    await admin.revokeDelegation(delegation.id);
    await admin.delegate(delegation);
    expect(await bench.store.delegationsTo(bench.tenant, "bo")).toEqual([]);
  });

  prove("several absent people are each named once", async (bench) => {
    const { admin } = await people(bench);
    await admin.delegate(await away(bench, { id: "d1", person: "cy" }));
    await admin.delegate(await away(bench, { id: "d2" }));
    await admin.delegate(await away(bench, { id: "d3" }));
    expect(await bench.store.delegationsTo(bench.tenant, "bo")).toMatchObject([
      { person: "ana" },
      { person: "cy" },
    ]);
  });
};

async function people(bench: Bench) {
  for (const id of ["ana", "bo", "cy"])
    await bench.harness.addPrincipal({ tenant: bench.tenant, id, kind: "person" });
  return bench.harness;
}

async function away(
  bench: Bench,
  given: { id?: string; person?: string; from?: number; until?: number } = {},
) {
  const now = await bench.harness.now();
  return { id: "d1", person: "ana", standIn: "bo", from: now, until: now + day, ...given };
}
