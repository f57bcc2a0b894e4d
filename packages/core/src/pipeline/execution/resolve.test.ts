import { describe, expect, it } from "vitest";
import { createMailbox } from "../../../../../test/support/mailbox.ts";
import { createPlanFixture } from "../../../../../test/support/plan-fixture.ts";
import { createPerson, testAgent } from "../../../../../test/support/test-pipeline.ts";
import { probeAgain, resolveUnknown } from "./resolve.ts";
import { resumeStuck } from "./resume.ts";

const ana = createPerson("ana");
const given = (call: string) => ({ call, by: ana, finding: "happened", reason: "seen in the log" }) as const;

describe("an unknown outcome is resolved only", () => {
  it("if the call exists and its outcome is unknown", async () => {
    const { ask, ports } = await createMailbox();
    const call = await ask();
    await expect(resolveUnknown(given("call_none"), ports)).rejects.toMatchObject({ code: "call-unknown" });
    await expect(resolveUnknown(given(call.call), ports)).rejects.toMatchObject({
      code: "not-unknown",
      message: expect.stringContaining("it has not ended"),
    });
  });

  it("if the outcome is not known already", async () => {
    const { place, ports } = await createPlanFixture();
    const { call } = await place("box.put", { box: "b", value: "1" });
    await expect(resolveUnknown(given(call), ports)).rejects.toThrow(
      "This call has no unknown outcome (succeeded)",
    );
  });

  it("by a person who says how they know it, and once", async () => {
    const { place, ports, world } = await createPlanFixture();
    world.lost.add("b");
    const { call } = await place("box.put", { box: "b", value: "1" });
    const by = testAgent;
    await expect(resolveUnknown({ ...given(call), by }, ports)).rejects.toMatchObject({
      code: "approver-not-allowed",
    });
    await expect(resolveUnknown({ ...given(call), reason: " " }, ports)).rejects.toMatchObject({
      code: "input-invalid",
    });
    expect((await resolveUnknown(given(call), ports)).call.resolution).toMatchObject({
      finding: "happened",
      how: "person",
    });
    await expect(resolveUnknown(given(call), ports)).rejects.toThrow(
      "ana has already resolved this call (happened)",
    );
  });

  it("by a probe, if the capability has one", async () => {
    const { place, ports, world } = await createPlanFixture();
    world.lost.add("b");
    const { call } = await place("box.put", { box: "b", value: "1" });
    await expect(probeAgain({ call, by: ana }, ports)).rejects.toThrow("This call cannot be probed");
  });
});

describe("a stuck call is resumed only", () => {
  it("by a person, and if it exists and is stuck", async () => {
    const { ask, ports } = await createMailbox();
    const { call } = await ask();
    await expect(resumeStuck({ call, by: testAgent }, ports)).rejects.toMatchObject({
      code: "approver-not-allowed",
    });
    await expect(resumeStuck({ call: "call_none", by: ana }, ports)).rejects.toMatchObject({
      code: "call-unknown",
    });
    const { call: same, wakes } = await resumeStuck({ call, by: ana }, ports);
    expect(wakes).toEqual([]);
    expect(same.events.map(({ kind }) => kind)).not.toContain("resumed");
  });
});
